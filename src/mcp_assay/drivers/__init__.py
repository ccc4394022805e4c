"""Who makes the calls. A driver is handed a way to call and cannot reach a server around the gate."""
