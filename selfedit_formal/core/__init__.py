"""What everything speaks of: windows, policies, promises, sessions, verdicts and certificates, as frozen values."""
