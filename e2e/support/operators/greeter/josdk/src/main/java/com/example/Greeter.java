package com.example;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;

/** Makes a ConfigMap with the greeting. */
public class Greeter implements Reconciler<Greeter.Greeting> {
  @Group("example.com")
  @Version("v1")
  public static class Greeting extends CustomResource<Spec, Void> implements Namespaced {}

  public static class Spec {
    public String to;
  }

  @Override
  public UpdateControl<Greeting> reconcile(Greeting greeting, Context<Greeting> context) {
    String text = "Hello, " + greeting.getSpec().to;
    ConfigMap map =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(greeting.getMetadata().getName())
            .withNamespace(greeting.getMetadata().getNamespace())
            .endMetadata()
            .addToData("text", text)
            .build();
    map.addOwnerReference(greeting);
    context.getClient().resource(map).forceConflicts().serverSideApply();
    System.out.printf("%s/%s: %s%n", map.getMetadata().getNamespace(), map.getMetadata().getName(), text);
    return UpdateControl.noUpdate();
  }

  public static void main(String[] args) {
    Operator operator = new Operator();
    operator.register(new Greeter());
    operator.start();
  }
}
