"""Support code of the tests: servers, an appliance, an installation, hosts, rows and spools."""
