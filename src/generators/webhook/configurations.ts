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

/** Generates the mutating and the validating configuration, each only if there are webhooks of its type. */
export function generateConfigurations(
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
      .map((marker) => buildWebhook(marker, log))
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

/** Returns the name of a configuration: that of a marker, of which each package may have one. */
function configurationName(packages: readonly WebhookPackage[], isMutating: boolean, log: DiagnosticLog) {
  const word = isMutating ? "mutating" : "validating";
  let name = `${word}-webhook-configuration`;
  for (const { configurations } of packages) {
    const matching = configurations.filter(({ args }) => args["mutating"] === isMutating);
    for (const { place } of matching.slice(1)) {
      const message = `the name of the ${word} configuration is given twice`;
      log.error(place, message, "keep one +kubebuilder:webhookconfiguration");
    }
    const markedName = matching[0] && text(matching[0].args, "name");
    if (markedName) name = markedName;
  }
  return name;
}

/** Reports webhooks of one name, which the API server rejects. */
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

function buildWebhook({ args, place }: Marker, log: DiagnosticLog): Webhook {
  const report = (message: string, hint: string): void => log.error(place, message, hint);
  checkArguments(args, report);
  const timeout = args["timeoutSeconds"];
  if (timeout !== undefined && timeout !== 0 && (Number(timeout) < 1 || Number(timeout) > 30)) {
    report(`timeoutSeconds ${text(args, "timeoutSeconds")} is out of range`, "use 1 to 30 seconds");
  }
  const webhook: Webhook = {
    name: text(args, "name"),
    admissionReviewVersions: strings(args, "admissionReviewVersions"),
    clientConfig: clientConfig(args, report),
    failurePolicy: matchWord(text(args, "failurePolicy"), ["Fail", "Ignore"]) ?? args["failurePolicy"],
    matchPolicy: matchPolicy(args, report),
    reinvocationPolicy: args["mutating"]
      ? matchWord(text(args, "reinvocationPolicy"), ["Never", "IfNeeded"])
      : undefined,
    rules: [
      {
        apiGroups: strings(args, "groups").map((group) => (group === "core" ? "" : group)),
        apiVersions: strings(args, "versions"),
        operations: strings(args, "verbs").map((verb) => matchWord(verb, operations) ?? verb),
        resources: strings(args, "resources"),
      },
    ],
    sideEffects: matchWord(text(args, "sideEffects"), ["None", "NoneOnDryRun", "Some"]),
    timeoutSeconds: timeout || undefined,
  };
  const patch = text(args, "patch");
  return patch ? patchWebhook(webhook, patch, report) : webhook;
}

/** Reports an error at the marker. */
type Report = (message: string, hint: string) => void;

/** Reports values that an API server rejects. */
function checkArguments(args: MarkerArguments, report: Report): void {
  if (strings(args, "admissionReviewVersions").length === 0) {
    report("a webhook requires admissionReviewVersions", "add admissionReviewVersions=v1");
  }
  const unsupported = strings(args, "webhookVersions").find((version) => version !== "v1");
  if (unsupported !== undefined)
    report(`unsupported webhook version "${unsupported}"`, "use webhookVersions=v1, or omit it");
  const sideEffects = matchWord(text(args, "sideEffects"), ["None", "NoneOnDryRun"]);
  if (!sideEffects) {
    const message = `sideEffects "${text(args, "sideEffects")}" is not accepted by the API server`;
    report(message, "use sideEffects=None or sideEffects=NoneOnDryRun");
  }
}

const defaultService = { name: "webhook-service", namespace: "system" };

function clientConfig(args: MarkerArguments, report: Report): object {
  const { path, url } = args as { path?: string; url?: string };
  if (Boolean(path) === Boolean(url))
    report("a webhook has either a path or a url", "use only one of path= and url=");
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

function matchPolicy(args: MarkerArguments, report: Report): string | undefined {
  const written = text(args, "matchPolicy");
  if (!written) return undefined;
  const known = ["Exact", "Equivalent"];
  const policy = matchWord(written, known);
  if (!policy) report(`unknown matchPolicy "${written}"`, `use ${listWords(known)}`);
  return policy;
}

/** Finds a word regardless of case, since users write fail, create and none; undefined if it is none of them. */
function matchWord(written: string, words: readonly string[]): string | undefined {
  return words.find((word) => word.toLowerCase() === written.toLowerCase());
}

/** The fields of a webhook; any other name in a patch is a typo. */
const patchableFields = (
  "admissionReviewVersions clientConfig failurePolicy matchConditions matchPolicy name " +
  "namespaceSelector objectSelector reinvocationPolicy rules sideEffects timeoutSeconds"
).split(" ");

/**
 * Applies a patch to a webhook, for selectors and match conditions, which have no arguments in the marker. controller-gen
 * patches with the merge keys of the type; only match conditions have one, and no marker sets them.
 */
function patchWebhook(webhook: Webhook, text: string, report: Report): Webhook {
  const patch = parseObject(text);
  if (patch === undefined) {
    report("the patch is not a JSON object", 'write patch=`{"namespaceSelector":{"matchLabels":{"a":"b"}}}`');
    return webhook;
  }
  const unknown = Object.keys(patch).filter((key) => !key.startsWith("$") && !patchableFields.includes(key));
  if (unknown.length > 0) {
    report(
      `a webhook has no field "${unknown.join('", "')}"`,
      `its fields are ${patchableFields.join(", ")}`,
    );
    return webhook;
  }
  try {
    const sent = JSON.parse(JSON.stringify(webhook)) as JSONObject;
    return applyStrategicMergePatch(sent, withoutDirectives(patch), undefined) as unknown as Webhook;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    report(`the patch cannot be applied: ${error.message}`, "write it as a strategic merge patch");
    return webhook;
  }
}

/** Removes the directives of a strategic merge patch, as controller-gen ignores them, except for `$patch`. */
function withoutDirectives(patch: JSONObject): JSONObject {
  const drop = (key: string, value: JSONValue): JSONValue | undefined =>
    key.startsWith("$") && key !== "$patch" ? undefined : value;
  return JSON.parse(JSON.stringify(patch, drop)) as JSONObject;
}

function parseObject(text: string): JSONObject | undefined {
  try {
    const value = JSON.parse(text) as JSONValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
