# An operator for one namespace, with every feature of the deployment.
tsbuilder init --domain example.com --namespaced --license copyright --owner "The platform team"
tsbuilder create api --group team --version v1 --kind Workspace
tsbuilder create api --group team --version v1 --kind Tenant --cluster-scoped
tsbuilder create webhook --group team --version v1 --kind Workspace --defaulting --programmatic-validation
tsbuilder edit --enable prometheus,alerts,metrics-tls,network-policy,recorder
