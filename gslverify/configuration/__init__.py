"""Where settings come from: flags, environment, profiles and the settings file."""
