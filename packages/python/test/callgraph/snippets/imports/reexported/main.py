from pkg import act

act()
