# A replicated database with backups, under a name other than the template's.
tsbuilder init --domain example.com
tsbuilder create api --group data --version v1 --kind Maria --template mysql
