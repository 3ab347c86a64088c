"""What runs beside an agent, without solver and parser: the gate, the session log and the monitor."""
