-- Run once, when the data volume is empty. Temporal's own databases are made by setup-schema.sh.
CREATE DATABASE pointsman;
\connect pointsman
CREATE EXTENSION IF NOT EXISTS vector;
