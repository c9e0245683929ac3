import { isConditionTrue } from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import type { Exam } from "../../exam.ts";
import { hashOf } from "./controller.ts";
import { WebApp } from "./types.ts";

export const exam: Exam = {
  kind: WebApp,
  world: () => ({
    controllers: ["deployment", "replicaset", "scheduler", "node", "kubelet"],
    operations: { values: { "spec.image": ["shop:1.4", "shop:1.5", "registry.example.com/shop:2.0"] } },
  }),
  promises: {
    eventually: {
      "pods run with the settings that are there": (state) => {
        const settings = state.list("ConfigMap") as readonly ConfigMap[];
        const apps = state.list("WebApp") as readonly WebApp[];
        return (state.list("Deployment") as readonly Deployment[]).every(({ metadata, spec }) => {
          const isOurs = ({ metadata: { namespace, name } }: WebApp) =>
            namespace === metadata.namespace && name === metadata.name;
          const app = apps.find(isOurs);
          // A Webapp that is paused or rejected keeps its pods.
          if (!app || app.spec.paused || isConditionTrue(app.status?.conditions, "Degraded")) return true;
          const isRead = ({ metadata: { namespace, name } }: ConfigMap) =>
            namespace === metadata.namespace && name === `${metadata.name}-settings`;
          const hash = spec?.template.metadata?.annotations?.["web.example.com/settings-hash"];
          return hash === hashOf(settings.find(isRead)?.data);
        });
      },
    },
  },
  defects: [
    {
      name: "replicas-beside-the-autoscaler",
      seenIn:
        "apache/superset-kubernetes-operator 151, runtime-component-operator 68: the number of the spec is set, and the autoscaler sets its own",
      classes: ["fight"],
      edits: [
        {
          right:
            "const replicas = spec.autoscaling ? current || (spec.autoscaling.minReplicas ?? 1) : (spec.replicas ?? 1);",
          wrong: "const replicas = spec.replicas ?? current;",
        },
      ],
    },
    {
      name: "ingress-left-when-unset",
      seenIn:
        "opentelemetry-operator 2651, solr-operator 673, kiali 2112: what is no longer wished for is not applied any more, and stays",
      classes: ["history"],
      edits: [
        {
          right: "await children.set(Ingress, name, ingress && ingressFor(name, ingress));",
          wrong: "if (ingress) await children.set(Ingress, name, ingressFor(name, ingress));",
        },
      ],
    },
    {
      name: "restarted-only-after-a-write",
      seenIn:
        "operators that restart pods in the reconcile that writes the ConfigMap: if it ends in between, the next one finds nothing to write (Sieve: intermediate states)",
      classes: ["interrupted", "unretried", "lost-answer"],
      edits: [
        {
          right: "const data = spec.settings ?? {};",
          wrong:
            "const data = spec.settings ?? {};\n        const former = await children.find(ConfigMap, settingsNameOf(name));",
        },
        {
          right: "const hash = hashOf(settings?.data);",
          wrong: `const deployed = await children.find(Deployment, name);
        const isChanged = !deployed || hashOf(former?.data) !== hashOf(settings?.data);
        const restarted = deployed?.spec?.template.metadata?.annotations?.[hashAnnotation] ?? "";
        const hash = isChanged ? hashOf(settings?.data) : restarted;`,
        },
      ],
    },
    {
      name: "degraded-never-cleared",
      seenIn:
        "koku-service-operator 43, perses-operator 279, machine-config-operator 1598: an error sets the condition, and success doesn't set it back",
      classes: ["stuck", "history"],
      edits: [
        {
          right: "conditions = setCondition(conditions, degradedBy(children.rejections), clock);",
          wrong:
            "if (children.rejections.length > 0) conditions = setCondition(conditions, degradedBy(children.rejections), clock);",
        },
      ],
    },
    {
      name: "hash-beside-the-template",
      seenIn:
        "noobaa-operator 815: the hash of the settings is an annotation of the Deployment, not of its template, and the pods keep the former settings",
      classes: ["promise", "history", "stuck"],
      edits: [
        {
          right: "metadata: { labels },\n    spec: {\n      selector: { matchLabels: labels },",
          wrong:
            "metadata: { labels, annotations: { [hashAnnotation]: hash } },\n    spec: {\n      selector: { matchLabels: labels },",
        },
        {
          right: "metadata: { labels, annotations: { [hashAnnotation]: hash } },\n        spec:",
          wrong: "metadata: { labels },\n        spec:",
        },
      ],
    },
  ],
};
