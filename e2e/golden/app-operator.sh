# Complete operators instead of skeletons: the appservice template, and one that deploys an image.
tsbuilder init --domain example.com --template appservice
tsbuilder create api --group apps --version v1 --kind Memcached --image memcached:1.6-alpine --image-container-command "memcached,-m=64,-v" --image-container-port 11211 --run-as-user 1001
