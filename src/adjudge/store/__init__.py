"""The store: an SQLite file by default, PostgreSQL for teams, one SQL for both."""
