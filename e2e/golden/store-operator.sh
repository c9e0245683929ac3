# Kinds with several versions, and every type of webhook.
tsbuilder init --domain example.com --license none
tsbuilder create api --group shop --version v1 --kind Order
tsbuilder create api --group shop --version v2 --kind Order --controller=false
tsbuilder create api --group shop --version v1 --kind Invoice
tsbuilder create api --group shop --version v1beta1 --kind Invoice --controller=false
tsbuilder create webhook --group shop --version v1 --kind Order --defaulting --programmatic-validation
tsbuilder create webhook --group shop --version v1 --kind Order --conversion --spoke v2
tsbuilder create webhook --group shop --version v1 --kind Invoice --conversion --spoke v1beta1
tsbuilder create webhook --group shop --version v1 --kind Invoice --programmatic-validation --validation-path /check-invoice
tsbuilder create api --group shop --version v1 --kind Cart --owns apps/v1/Deployment --owns v1/Service --owns core/v1/ConfigMap
