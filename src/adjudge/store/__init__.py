"""The store: SQLite by default, behind SQL that PostgreSQL can share."""
