"""The embedded judge: useful with no key and no network, and plain about what it can't see."""

from adjudge.models.offline.judge import Offline, batch_summary

__all__ = ["Offline", "batch_summary"]
