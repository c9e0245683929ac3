use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Client, CustomResource, Resource, ResourceExt,
    api::{Api, Patch, PatchParams},
    runtime::{
        controller::{Action, Controller},
        watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Greeting", namespaced)]
struct GreetingSpec {
    to: String,
}

/// Makes a ConfigMap with the greeting.
async fn reconcile(greeting: Arc<Greeting>, client: Arc<Client>) -> Result<Action, kube::Error> {
    let namespace = greeting.namespace().unwrap_or_default();
    let name = greeting.name_any();
    let text = format!("Hello, {}", greeting.spec.to);
    let map = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": name, "ownerReferences": [greeting.controller_owner_ref(&())] },
        "data": { "text": text },
    });
    let maps: Api<ConfigMap> = Api::namespaced(client.as_ref().clone(), &namespace);
    let applied = PatchParams::apply("greeter").force();
    maps.patch(&name, &applied, &Patch::Apply(map)).await?;
    println!("{namespace}/{name}: {text}");
    Ok(Action::await_change())
}

#[tokio::main]
async fn main() -> Result<(), kube::Error> {
    let client = Client::try_default().await?;
    let greetings: Api<Greeting> = Api::all(client.clone());
    let maps: Api<ConfigMap> = Api::all(client.clone());
    Controller::new(greetings, watcher::Config::default())
        .owns(maps, watcher::Config::default())
        .shutdown_on_signal()
        .run(
            reconcile,
            |_, error, _| {
                eprintln!("{error}");
                Action::requeue(Duration::from_secs(5))
            },
            Arc::new(client),
        )
        .for_each(|_| std::future::ready(()))
        .await;
    Ok(())
}
