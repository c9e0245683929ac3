# Several groups: the same kind in two of them, built-in and third-party kinds, several controllers.
tsbuilder init --domain example.com --multigroup
tsbuilder create api --group crew --version v1 --kind Captain
tsbuilder create api --group crew --version v1 --kind Captain --resource=false --controller-name captain-backup
tsbuilder create api --group ship --version v1beta1 --kind Frigate --plural frigates --cluster-scoped
tsbuilder create api --group sea-creatures --version v1alpha1 --kind Kraken --controller=false
tsbuilder create api --group fiz --version v1 --kind Bar
tsbuilder create api --group foo.policy --version v1 --kind Bar
tsbuilder create api --group apps --version v1 --kind Deployment --resource=false
tsbuilder create webhook --group core --version v1 --kind Pod --defaulting --defaulting-path /mutate-pods
tsbuilder create webhook --group fiz --version v1 --kind Bar --programmatic-validation
tsbuilder create webhook --group foo.policy --version v1 --kind Bar --programmatic-validation
