import { compareText } from "@tsbuilder/apimachinery/text";
import { type JSONObject, type JSONValue, isObject } from "@tsbuilder/apimachinery/json";
import { PatchError } from "@tsbuilder/apimachinery/patch";
import { applyStrategicMergePatch } from "@tsbuilder/apimachinery/patch/strategic";
import { type MarkerArguments, strings, text } from "../markers/definition.ts";
import type { DiagnosticLog } from "../model/diagnostic.ts";
import { type GeneratorOptions, isGateOn } from "../model/options.ts";
import type { Marker } from "../markers/collect.ts";
import { listWords } from "../../shared/text.ts";

/** The webhook markers of one package: a version's folder, or any other folder of sources. */
export interface WebhookPackage {
  readonly webhooks: readonly Marker[];
  readonly configurations: readonly Marker[];
}

/** Builds the mutating and the validating configuration; without webhooks of that type, there is none. */
export function webhookConfigurations(
  packages: readonly WebhookPackage[],
  options: GeneratorOptions,
  log: DiagnosticLog,
): object[] {
  return [true, false].flatMap((isMutating) => {
    const markers = packages
      .flatMap(({ webhooks }) => webhooks)
      .filter(({ args }) => args["mutating"] === isMutating && isGateOn(args["featureGate"], options));
    const name = configurationName(packages, isMutating, log);
    if (markers.length === 0) return [];
    reportRepeatedNames(markers, log);
    const webhooks = markers
      .map((marker) => webhookOf(marker, log))
      .sort((a, b) => compareText(a.name, b.name));
    return [
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: isMutating ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration",
        metadata: { name },
        webhooks,
      },
    ];
  });
}

function configurationName(
  packages: readonly WebhookPackage[],
  isMutating: boolean,
  log: DiagnosticLog,
): string {
  const word = isMutating ? "mutating" : "validating";
  let name = `${word}-webhook-configuration`;
  for (const { configurations } of packages) {
    const matching = configurations.filter(({ args }) => args["mutating"] === isMutating);
    for (const { place } of matching.slice(1)) {
      const message = `the name of the ${word} configuration is given twice`;
      log.error(place, message, "keep one +kubebuilder:webhookconfiguration");
    }
    const named = matching[0] && text(matching[0].args, "name");
    if (named) name = named;
  }
  return name;
}

/** The API server rejects a configuration with duplicate webhook names. */
function reportRepeatedNames(markers: readonly Marker[], log: DiagnosticLog): void {
  const seen = new Set<string>();
  for (const { args, place } of markers) {
    const name = text(args, "name");
    if (seen.has(name)) log.error(place, `two webhooks are named "${name}"`, "give each its own name");
    seen.add(name);
  }
}

interface Webhook {
  readonly name: string;
  readonly [key: string]: unknown;
}

const operations = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];

function webhookOf({ args, place }: Marker, log: DiagnosticLog): Webhook {
  const fail = (message: string, hint: string): void => log.error(place, message, hint);
  checkAccepted(args, fail);
  const timeout = args["timeoutSeconds"];
  if (timeout !== undefined && timeout !== 0 && (Number(timeout) < 1 || Number(timeout) > 30)) {
    fail(`timeoutSeconds ${text(args, "timeoutSeconds")} is out of range`, "use 1 to 30 seconds");
  }
  const webhook: Webhook = {
    name: text(args, "name"),
    admissionReviewVersions: strings(args, "admissionReviewVersions"),
    clientConfig: clientConfig(args, fail),
    failurePolicy: oneOf(text(args, "failurePolicy"), ["Fail", "Ignore"]) ?? args["failurePolicy"],
    matchPolicy: matchPolicy(args, fail),
    reinvocationPolicy: args["mutating"]
      ? oneOf(text(args, "reinvocationPolicy"), ["Never", "IfNeeded"])
      : undefined,
    rules: [
      {
        apiGroups: strings(args, "groups").map((group) => (group === "core" ? "" : group)),
        apiVersions: strings(args, "versions"),
        operations: strings(args, "verbs").map((verb) => oneOf(verb, operations) ?? verb),
        resources: strings(args, "resources"),
      },
    ],
    sideEffects: oneOf(text(args, "sideEffects"), ["None", "NoneOnDryRun", "Some"]),
    timeoutSeconds: timeout || undefined,
  };
  const patch = text(args, "patch");
  return patch ? patchWebhook(webhook, patch, fail) : webhook;
}

type Fail = (message: string, hint: string) => void;

/** Reports values that an API server rejects. */
function checkAccepted(args: MarkerArguments, fail: Fail): void {
  if (strings(args, "admissionReviewVersions").length === 0) {
    fail("a webhook requires admissionReviewVersions", "add admissionReviewVersions=v1");
  }
  const unsupported = strings(args, "webhookVersions").find((version) => version !== "v1");
  if (unsupported !== undefined)
    fail(`unsupported webhook version "${unsupported}"`, "use webhookVersions=v1, or omit it");
  const sideEffects = oneOf(text(args, "sideEffects"), ["None", "NoneOnDryRun"]);
  if (!sideEffects) {
    const message = `sideEffects "${text(args, "sideEffects")}" is not accepted by the API server`;
    fail(message, "use sideEffects=None or sideEffects=NoneOnDryRun");
  }
}

const defaultService = { name: "webhook-service", namespace: "system" };

function clientConfig(args: MarkerArguments, fail: Fail): object {
  const { path, url } = args as { path?: string; url?: string };
  if (Boolean(path) === Boolean(url))
    fail("a webhook has either a path or a url", "use only one of path= and url=");
  if (url) return { url };
  return {
    service: {
      name: args["serviceName"] || defaultService.name,
      namespace: args["serviceNamespace"] || defaultService.namespace,
      path,
      port: args["servicePort"],
    },
  };
}

function matchPolicy(args: MarkerArguments, fail: Fail): string | undefined {
  const written = text(args, "matchPolicy");
  if (!written) return undefined;
  const known = ["Exact", "Equivalent"];
  const policy = oneOf(written, known);
  if (!policy) fail(`unknown matchPolicy "${written}"`, `use ${listWords(known)}`);
  return policy;
}

/** Matches a word regardless of case: users write fail, create and none. */
function oneOf(written: string, words: readonly string[]): string | undefined {
  return words.find((word) => word.toLowerCase() === written.toLowerCase());
}

/** The fields of a webhook; any other name in a patch is a typo. */
const patchableFields = [
  "admissionReviewVersions",
  "clientConfig",
  "failurePolicy",
  "matchConditions",
  "matchPolicy",
  "name",
  "namespaceSelector",
  "objectSelector",
  "reinvocationPolicy",
  "rules",
  "sideEffects",
  "timeoutSeconds",
];

/**
 * Applies a patch to a webhook, for selectors and match conditions, which have no arguments in the marker. controller-gen
 * patches with the merge keys of the type; only match conditions have one, and no marker sets them.
 */
function patchWebhook(webhook: Webhook, text: string, fail: Fail): Webhook {
  const patch = parse(text);
  if (patch === undefined) {
    fail("the patch is not a JSON object", 'write patch=`{"namespaceSelector":{"matchLabels":{"a":"b"}}}`');
    return webhook;
  }
  const unknown = Object.keys(patch).filter((key) => !key.startsWith("$") && !patchableFields.includes(key));
  if (unknown.length > 0) {
    fail(`a webhook has no field "${unknown.join('", "')}"`, `its fields are ${patchableFields.join(", ")}`);
    return webhook;
  }
  try {
    const sent = JSON.parse(JSON.stringify(webhook)) as JSONObject;
    return applyStrategicMergePatch(sent, withoutOrder(patch), undefined) as unknown as Webhook;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    fail(`the patch cannot be applied: ${error.message}`, "write it as a strategic merge patch");
    return webhook;
  }
}

/** Drops the directives that controller-gen ignores: `$patch` is the only one that a webhook has a use for. */
function withoutOrder(patch: JSONObject): JSONObject {
  const drop = (key: string, value: JSONValue): JSONValue | undefined =>
    key.startsWith("$") && key !== "$patch" ? undefined : value;
  return JSON.parse(JSON.stringify(patch, drop)) as JSONObject;
}

function parse(text: string): JSONObject | undefined {
  try {
    const value = JSON.parse(text) as JSONValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
