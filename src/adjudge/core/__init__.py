"""The domain: frozen types that know nothing of files, networks or stores."""
