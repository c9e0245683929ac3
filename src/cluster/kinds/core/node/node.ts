import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { isObject } from "@tsbuilder/apimachinery/json";
import { duplicate, forbidden, internalError, invalid, required } from "@tsbuilder/apimachinery/errors";
import { checkLabelValue, checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { goStruct } from "@tsbuilder/apimachinery/text";
import { fieldText, type CellReader } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells.ts";
import type { ApiObject, Sent } from "../../../contract/api-object.ts";
import { resetStatusAlone } from "../../../registry/default-strategy.ts";
import { type Fields, alignFirst } from "../../fill-in.ts";
import { checkAddressRange } from "../../checks/addresses.ts";
import { type Problems, checked, choice, eachChecked, itemsOf, positive } from "../../checks/problems.ts";
import { taintEffects } from "../pod-spec/scheduling.ts";
import { quantityProblems } from "../resources.ts";
import { fakeNode } from "./fake-node.ts";
import { taintEviction } from "./taints.ts";

export const node: BuiltInKind<"node" | "tainteviction"> = {
  resource: "nodes",
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    statusWritesMetadata: true,
    /** A new Node may come with a status. */
    resetFields(object, old, subresource) {
      if (old) resetStatusAlone(object, old, subresource);
    },
    default(object) {
      const status = object["status"] as Fields;
      alignFirst(object["spec"] as Fields | undefined, "podCIDR", "podCIDRs");
      if (status["capacity"] !== undefined) status["allocatable"] ??= { ...(status["capacity"] as Fields) };
    },
    prepareForCreate: dropDynamicConfig,
    prepareForUpdate: dropDynamicConfig,
    validate: (object) => [...nodeProblems(object)],
    validateUpdate: (object, old, { subresource }) => [
      ...(subresource === "status" ? [] : nodeProblems(object)),
      ...nodeChangeProblems(object, old),
    ],
    *warnings(object) {
      const { externalID } = (object["spec"] ?? {}) as Fields;
      if (externalID) yield "spec.externalID: this field is deprecated, and is unused by Kubernetes";
    },
  },
  cells: {
    Status: nodeStatus,
    Roles: nodeRoles,
    Version: text("status.nodeInfo.kubeletVersion"),
    "Internal-IP": addressCell("InternalIP"),
    "External-IP": addressCell("ExternalIP"),
    "OS-Image": text("status.nodeInfo.osImage", "<unknown>"),
    "Kernel-Version": text("status.nodeInfo.kernelVersion", "<unknown>"),
    "Container-Runtime": text("status.nodeInfo.containerRuntimeVersion", "<unknown>"),
  },
  selectors: { "spec.unschedulable": (object) => fieldText(object, "spec.unschedulable") || "false" },
  controllers: { node: fakeNode, tainteviction: taintEviction },
};

type SentNode = Sent<core.Node> & { spec?: { externalID?: string } };

function* nodeProblems(object: ApiObject): Problems {
  const { spec = {}, status = {} } = object as SentNode;
  yield* annotationProblems(object);
  yield* swapProblems(status);
  // The server reports taints, which are in the spec, at this path.
  yield* taintProblems("metadata.taints", spec.taints);
  yield* statusProblems(status);
  yield* rangeProblems(spec.podCIDRs);
}

const avoidance = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/** Validates the annotation by which the scheduler avoided a Node for the pods of controllers. */
function* annotationProblems({ metadata }: ApiObject): Problems {
  const text = metadata.annotations?.[avoidance];
  if (!text) return;
  for (const [at, entry] of itemsOf(`metadata.annotations.${avoidance}`, avoidedPods(text))) {
    const controller = entry.podSignature?.podController;
    if (!controller) yield required(`${at}.PodSignature`);
    else if (controller.controller === false)
      yield invalid(`${at}.PodSignature.PodController.Controller`, false, "must point to a controller");
  }
}

interface AvoidedPods {
  readonly podSignature?: { readonly podController?: { readonly controller?: boolean } };
}

/** Returns nothing if the text is not JSON of that form. */
function avoidedPods(text: string): readonly AvoidedPods[] {
  try {
    const { preferAvoidPods } = JSON.parse(text) as { preferAvoidPods?: unknown };
    return Array.isArray(preferAvoidPods)
      ? (preferAvoidPods as AvoidedPods[]).filter((each) => isObject(each))
      : [];
  } catch {
    return [];
  }
}

/** The server names a field that doesn't exist. */
function* swapProblems({ nodeInfo }: NonNullable<SentNode["status"]>): Problems {
  const capacity = nodeInfo?.swap?.capacity;
  if (capacity !== undefined) yield* positive("metadata.nodeSwapStatus.capacity", capacity);
}

function* rangeProblems(ranges: readonly string[] = []): Problems {
  yield* eachChecked("spec.podCIDRs", ranges, checkAddressRange);
  if (ranges.length < 2) return;
  const wrong = ranges.findIndex((range) => checkAddressRange(range).length > 0);
  if (wrong >= 0) {
    const why = `invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${ranges[wrong]})`;
    yield internalError(
      "spec.podCIDRs",
      `invalid PodCIDRs. failed to check with dual stack with error:${why}`,
    );
  }
  const families = new Set(ranges.map((range) => range.includes(":")));
  if (wrong >= 0 || ranges.length > 2 || families.size < 2)
    yield invalid("spec.podCIDRs", ranges, "may specify no more than one CIDR for each IP family");
}

/** Validates a change of a Node: ranges and the provider's ID are set once. */
function* nodeChangeProblems(object: ApiObject, old: ApiObject): Problems {
  const { spec = {}, status = {} } = object as SentNode;
  const { spec: before = {} } = old as SentNode;
  yield* annotationProblems(object);
  yield* statusProblems(status);
  yield* addressProblems(status);
  yield* rangeChanges(spec.podCIDRs ?? [], before.podCIDRs ?? []);
  if (before.providerID && before.providerID !== spec.providerID)
    yield forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid');
  yield* taintProblems("metadata.taints", spec.taints);
  if ((spec.externalID ?? "") !== (before.externalID ?? ""))
    yield forbidden("spec.externalID", "may not be updated");
}

function* rangeChanges(now: readonly string[], before: readonly string[]): Problems {
  if (before.length === 0) return;
  const changed =
    now.length === before.length ? before.filter((each, index) => each !== now[index]).length : 1;
  for (let count = changed; count > 0; count--)
    yield forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid');
}

function* statusProblems({
  capacity = {},
  allocatable = {},
  declaredFeatures,
}: Sent<core.NodeStatus>): Problems {
  for (const [list, amounts] of Object.entries({ capacity, allocatable })) {
    for (const [name, quantity] of Object.entries(amounts))
      yield* quantityProblems(`status.${list}.${name}`, name, quantity);
  }
  yield* featureProblems("status.declaredFeatures", declaredFeatures);
}

const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

/** The features that a kubelet declares, in alphabetical order. */
function* featureProblems(field: string, features: readonly string[] = []): Problems {
  for (const [at, name, index] of itemsOf(field, features)) {
    const before = features[index - 1];
    if (before === name) yield duplicate(at, name);
    else if (before !== undefined && before > name) {
      yield invalid(at, name, "list must be sorted alphabetically");
    }
    const shown = `invalid feature name ${JSON.stringify(name)}`;
    if (name.length > 253) yield invalid(at, name, `${shown}: must be no more than 253 characters`);
    else if (!featureName.test(name)) {
      const rule =
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
      yield invalid(at, name, `${shown}: ${rule}`);
    }
  }
}

function* addressProblems({ addresses }: Sent<core.NodeStatus>): Problems {
  const seen = new Set<string>();
  for (const [at, { type = "", address = "" }] of itemsOf("status.addresses", addresses)) {
    const key = JSON.stringify([type, address]);
    if (seen.has(key)) yield duplicate(at, { type, address });
    seen.add(key);
  }
}

function* taintProblems(field: string, taints: readonly Sent<core.Taint>[] | undefined): Problems {
  const seen = new Set<string>();
  for (const [at, taint] of itemsOf(field, taints)) {
    const { key = "", value = "", effect = "" } = taint;
    yield* checked(`${at}.key`, key, checkQualifiedName);
    const reasons = checkLabelValue(value);
    if (reasons.length > 0) yield invalid(`${at}.value`, value, reasons.join(";"));
    yield* choice(`${at}.effect`, effect, taintEffects);
    const pair = `${key} ${effect}`;
    if (seen.has(pair)) yield duplicateTaint(at, taint);
    seen.add(pair);
  }
}

/** The message shows the taint as a Go struct. */
function duplicateTaint(field: string, taint: Sent<core.Taint>) {
  const { key = "", value = "", effect = "", timeAdded = null } = taint;
  const shown = goStruct({ Key: key, Value: value, Effect: effect, TimeAdded: timeAdded });
  const detail = "taints must be unique by key and effect pair";
  return { ...duplicate(field, taint), detail, body: `Duplicate value: ${shown}: ${detail}` };
}

/** The server drops the fields of a removed feature. */
function dropDynamicConfig(object: ApiObject): void {
  delete (object["spec"] as Fields | undefined)?.["configSource"];
  delete (object["status"] as Fields | undefined)?.["config"];
}

function nodeStatus(object: object): string {
  const conditions = readField<core.NodeCondition[]>(object, "status.conditions") ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  const status = !ready ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return readField(object, "spec.unschedulable") ? `${status},SchedulingDisabled` : status;
}

const rolePrefix = "node-role.kubernetes.io/";

function nodeRoles(object: object): string {
  const labels = Object.keys(readField<object>(object, "metadata.labels") ?? {});
  const roles = labels
    .filter((label) => label.startsWith(rolePrefix))
    .map((label) => label.slice(rolePrefix.length));
  return roles.length === 0 ? "<none>" : roles.sort().join(",");
}

function addressCell(wanted: string): CellReader {
  return (object) => {
    const addresses = readField<core.NodeAddress[]>(object, "status.addresses") ?? [];
    return addresses.find(({ type }) => type === wanted)?.address ?? "<none>";
  };
}
