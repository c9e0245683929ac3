import { setImmediate } from "node:timers";
import type { Core } from "../registry/core.ts";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ApiObject } from "../contract/api-object.ts";
import { fieldAndMembers, serverEntry, memberFields, storeBootstrapObjects } from "./bootstrap.ts";

const managedLabel = "kube-aggregator.kubernetes.io/automanaged";

interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly custom: boolean;
}

/** Keeps an APIService for each group version that this server serves. Returns a function that stops this. */
export function publishGroups(core: Core): () => void {
  const { store, registry, clock } = core;
  const services = store.collection("apiservices.apiregistration.k8s.io");
  const updateServices = (): void => {
    const others = registry.all().filter(({ group }) => group !== "apiregistration.k8s.io");
    const wanted = new Map<string, ServedVersion>(
      others.flatMap(({ group, custom, versions }) =>
        versions.map(({ name }) => [`${name}.${group}`, { group, version: name, custom }] as const),
      ),
    );
    const time = formatTime(clock.now());
    for (const [name, served] of wanted) {
      if (!services.get(name)) storeBootstrapObjects(core, [localService(name, served, time)]);
    }
    for (const entry of services.list()) {
      if (!wanted.has(entry.key) && entry.object.metadata.labels?.[managedLabel])
        store.remove(services, entry);
    }
  };
  updateServices();
  const definitions = store.collection("customresourcedefinitions.apiextensions.k8s.io");
  let isDue = false;
  return store.listen((collection, { type }) => {
    if (isDue || (collection !== definitions && !(collection === services && type === "DELETED"))) return;
    isDue = true;
    // A change of a CRD changes the registry within the same tick.
    setImmediate(() => {
      isDue = false;
      updateServices();
    });
  });
}

/** The group priorities of a real server, which determine the order of groups. */
const groupPriorities: Readonly<Record<string, number>> = {
  "": 18000,
  apps: 17800,
  "events.k8s.io": 17750,
  "authentication.k8s.io": 17700,
  "authorization.k8s.io": 17600,
  autoscaling: 17500,
  batch: 17400,
  "certificates.k8s.io": 17300,
  "networking.k8s.io": 17200,
  policy: 17100,
  "rbac.authorization.k8s.io": 17000,
  "storage.k8s.io": 16800,
  "admissionregistration.k8s.io": 16700,
  "apiextensions.k8s.io": 16700,
  "scheduling.k8s.io": 16600,
  "coordination.k8s.io": 16500,
  "node.k8s.io": 16300,
  "discovery.k8s.io": 16200,
  "resource.k8s.io": 16200,
  "flowcontrol.apiserver.k8s.io": 16100,
};

/** The version priorities of a real server by the name of the APIService; 15 for most. */
const versionPriorities: Readonly<Record<string, number>> = {
  "v1.": 1,
  "v2.autoscaling": 30,
  "v1.flowcontrol.apiserver.k8s.io": 21,
  "v1.resource.k8s.io": 21,
};

/** Makes the APIService of a served group version. Groups of CRDs have the priorities 1000 and 100. */
function localService(name: string, { group, version, custom }: ServedVersion, time: string): ApiObject {
  const apiVersion = "apiregistration.k8s.io/v1";
  const spec = {
    ...(group !== "" && { group }),
    groupPriorityMinimum: groupPriorities[group] ?? 1000,
    version,
    versionPriority: custom ? 100 : (versionPriorities[name] ?? 15),
  };
  const labels = { [managedLabel]: custom ? "true" : "onstart" };
  const fieldsV1 = { "f:metadata": { "f:labels": fieldAndMembers(labels) }, "f:spec": memberFields(spec) };
  const managedFields = [serverEntry(apiVersion, time, fieldsV1)];
  const message = "Local APIServices are always available";
  const available = { lastTransitionTime: time, message, reason: "Local", status: "True", type: "Available" };
  const status = { conditions: [available] };
  return { apiVersion, kind: "APIService", metadata: { name, labels, managedFields }, spec, status };
}
