import kopf
import kubernetes


@kopf.on.create("example.com", "v1", "greetings")
@kopf.on.update("example.com", "v1", "greetings")
def greet(spec, name, namespace, **_):
    """Makes a ConfigMap with the greeting."""
    body = {
        "metadata": {"name": name},
        "data": {"text": f"Hello, {spec['to']}"},
    }
    kopf.adopt(body)
    api = kubernetes.client.CoreV1Api()
    api.create_namespaced_config_map(namespace, body)
    return {"ready": True}
