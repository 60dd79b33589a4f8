import ping

ping.start(2)
