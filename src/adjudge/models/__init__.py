"""Who answers: language models over HTTP, recorded replies, and the embedded judge."""
