import { compareText } from "@tsbuilder/apimachinery/text";
import { text } from "../markers/definition.ts";
import type { DiagnosticLog } from "../diagnostic.ts";
import { isGateOn } from "../feature-gates.ts";
import type { Marker } from "../markers/collect.ts";
import type { GeneratorOptions } from "../options.ts";
import { webhookOf } from "./webhook.ts";

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
      log.error(
        place,
        `the name of the ${word} configuration is given twice`,
        "keep one +kubebuilder:webhookconfiguration",
      );
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
