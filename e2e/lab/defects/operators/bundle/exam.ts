import type { ConfigMap, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Exam } from "../../exam.ts";
import { trustNamespace } from "./controller.ts";
import { Bundle } from "./types.ts";

const configMap: ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: trustNamespace, name: "roots" },
  data: { "ca.pem": "root certificate" },
};
const secret: Secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: trustNamespace, name: "internal" },
  data: { "tls.crt": "aW50ZXJuYWw=" },
};
const namespace = (name: string, labels: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels },
});

export const exam: Exam = {
  kind: Bundle,
  world: () => ({
    objects: [
      namespace(trustNamespace, {}),
      namespace("team-a", { team: "a", trust: "yes" }),
      namespace("team-b", { trust: "yes" }),
      configMap,
      secret,
    ],
    operations: {
      values: {
        "spec.sources": [
          [{ inline: "one" }],
          [{ inline: "one" }, { inline: "two" }],
          [{ configMap: { name: "roots", key: "ca.pem" } }],
          [{ configMap: { name: "roots", key: "ca.pem" } }, { secret: { name: "internal", key: "tls.crt" } }],
        ],
        "spec.target.namespaceLabels": [{ trust: "yes" }, { team: "a" }, { trust: "yes", team: "a" }],
      },
    },
  }),
  defects: [
    {
      name: "nothing-pruned",
      seenIn: "a copy of a Secret stays in a namespace that is selected no longer, or under a former key",
      classes: ["history"],
      edits: [{ right: "await children.prune(ConfigMap, Secret);", wrong: "" }],
    },
    {
      name: "source-secret-unwatched",
      seenIn: "operators that copy Secrets: the source is read, but only its ConfigMaps wake the operator",
      classes: ["missed-event", "history", "drift"],
      edits: [
        {
          right: 'namesOf(await client.list(Bundle, { fields: { "source.secret": name } }))',
          wrong: "[]",
        },
      ],
    },
    {
      name: "former-keys-kept",
      seenIn: "a key is added to the data that is there, so that the former key stays in it",
      classes: ["history", "drift"],
      edits: [
        {
          right: "{ [configMap.key]: data }",
          wrong: "{ ...(await children.find(ConfigMap, key))?.data, [configMap.key]: data }",
        },
      ],
    },
    {
      name: "skips-what-is-ready",
      seenIn: "a reconcile ends at once if this generation is Ready, whatever somebody did to the copies",
      classes: ["drift", "missed-event", "history"],
      edits: [
        {
          right: "if (!bundle) return;",
          wrong: `if (!bundle) return;
    if (
      bundle.status?.observedGeneration === bundle.metadata.generation &&
      bundle.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True")
    )
      return;`,
        },
      ],
    },
    {
      name: "namespaces-unwatched",
      seenIn: "a namespace that gets the label later gets its copy with the next change of something else",
      classes: ["missed-event", "history", "drift"],
      edits: [{ right: ".watches(Namespace, async () => namesOf(await client.list(Bundle)))", wrong: "" }],
    },
  ],
};
