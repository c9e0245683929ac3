# One kind, as in a first project.
tsbuilder init --domain example.com --owner "The MySQL operator authors"
tsbuilder create api --group apps --version v1 --kind MySQL --short-name my --category databases
