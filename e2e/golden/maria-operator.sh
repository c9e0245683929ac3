# A replicated database with backups, under another name than the template's own.
tsbuilder init --domain example.com
tsbuilder create api --group data --version v1 --kind Maria --template mysql
