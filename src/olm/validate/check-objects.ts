import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { bundledKinds, csvKind } from "../bundle-format.ts";
import type { Located } from "../located.ts";
import type { Bundle } from "./bundle.ts";
import { show } from "./check-csv.ts";
import { finding, type Findings } from "./finding.ts";

/** The manifests beside the ClusterServiceVersion. */
export function* checkObjects({ objects }: Bundle): Findings {
  const seen = new Map<string, string>();
  for (const object of objects) {
    const [apiVersion, kind, name] = [
      object.get("apiVersion"),
      object.get("kind"),
      object.get("metadata", "name"),
    ];
    if (!apiVersion.text || !kind.text) {
      const message = `${apiVersion.text ? "kind" : "apiVersion"} of the object is not set`;
      yield finding("object-type", apiVersion.text ? kind : apiVersion, message, "set apiVersion and kind");
      continue;
    }
    if (kind.text === csvKind) continue;
    if (!bundledKinds.has(kind.text)) {
      const message = `OLM creates no ${kind.text} from a bundle`;
      yield finding("object-kind", kind, message, "have the operator create it, or omit it");
    }
    yield* checkName(kind.text, name);
    const id = `${kind.text}.${parseApiVersion(apiVersion.text).group} ${name.text}`;
    const former = seen.get(id);
    if (former !== undefined) {
      const message = `"${former}" has this ${kind.text}, too: ${name.text}`;
      yield finding("object-duplicate", name, message, "delete one of the files, or rename the object");
    }
    seen.set(id, object.file);
    const namespace = object.get("metadata", "namespace");
    if (!namespace.isMissing) {
      const message = `the object is meant for the namespace ${show(namespace)}, but OLM chooses the namespace`;
      yield finding("object-namespace", namespace, message, "delete metadata.namespace");
    }
    yield* checkDangers(kind.text, object);
  }
}

/** Names of roles and bindings may contain what paths may. */
const pathNames = new Set(["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"]);

function* checkName(kind: string, name: Located): Findings {
  const text = name.text ?? "";
  const reasons =
    pathNames.has(kind) && text !== ""
      ? ["/", "%"].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`)
      : checkSubdomain(text);
  const [reason] = reasons;
  if (reason === undefined) return;
  yield finding(
    "object-name",
    name,
    `metadata.name ${show(name)} ${reason}`,
    `give the ${kind} a valid name`,
  );
}

function* checkDangers(kind: string, object: Located): Findings {
  if (kind === "PodDisruptionBudget") yield* checkBudget(object.get("spec"));
  if (kind === "PriorityClass" && object.get("globalDefault").value === true) {
    const message = "this PriorityClass would be that of all pods in the cluster";
    yield finding("priority-class", object.get("globalDefault"), message, "set globalDefault: false");
  }
  if (kind !== "Role" && kind !== "ClusterRole") return;
  for (const rule of object.get("rules").items) yield* checkRights(rule);
}

function* checkBudget(spec: Located): Findings {
  const blocking = [
    [spec.get("maxUnavailable"), [0, "0", "0%"]],
    [spec.get("minAvailable"), ["100%"]],
  ] as const;
  for (const [field, values] of blocking) {
    if (!values.some((value) => value === field.value)) continue;
    const message = `with ${field.path}: ${String(field.value)} no node with such a pod can ever be drained`;
    yield finding("disruption-budget", field, message, "allow at least one pod to be evicted");
  }
}

/** OpenShift's own constraints. */
const openShiftConstraints = new Set([
  "anyuid",
  "hostaccess",
  "hostmount-anyuid",
  "hostnetwork",
  "hostnetwork-v2",
  "node-exporter",
  "nonroot",
  "nonroot-v2",
  "privileged",
  "restricted",
  "restricted-v2",
]);

function* checkRights(rule: Located): Findings {
  const grants = (group: string, resource: string, verbs: readonly string[]): boolean =>
    rule.get("apiGroups").texts.includes(group) &&
    rule.get("resources").texts.includes(resource) &&
    rule.get("verbs").texts.some((verb) => verb === "*" || verbs.includes(verb));
  if (grants("policy", "poddisruptionbudgets", ["create", "update", "patch"])) {
    const message = "this role may write PodDisruptionBudgets, which can keep nodes from being drained";
    yield finding("disruption-rights", rule, message, "check that the operator needs it");
  }
  const constraints = rule.get("resourceNames").texts.filter((name) => openShiftConstraints.has(name));
  if (
    constraints.length > 0 &&
    grants("security.openshift.io", "securitycontextconstraints", ["delete", "update", "patch"])
  ) {
    const message = `this role may change OpenShift's own constraints: ${constraints.join(", ")}`;
    yield finding("security-constraints", rule, message, "grant only the verb use on them");
  }
}
