import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { webhookTypes } from "../bundle-format.ts";
import type { Located } from "../located.ts";
import { type Bundle, containersOf, crdsOf, deploymentsOf, versionsOf } from "./bundle.ts";
import { show } from "./check-csv.ts";
import { finding, type Findings } from "./rules.ts";

/** Checks the webhook definitions, from which OLM creates configurations, Services and certificates. */
export function* checkWebhooks(bundle: Bundle): Findings {
  const seen = new Set<string>();
  for (const webhook of bundle.csv.get("spec", "webhookdefinitions").items) {
    const name = webhook.get("generateName");
    const isConversion = webhook.get("type").value === webhookTypes.conversion;
    // The API server requires at least two dots in the name of an admission webhook.
    const [reason] = isConversion ? checkSubdomain(name.text ?? "") : explainAdmissionName(name.text ?? "");
    if (reason !== undefined) {
      yield finding(
        "webhook-name",
        name,
        `the webhook's name ${show(name)} ${reason}`,
        "use one such as vshop.kb.io",
      );
    } else if (seen.has(name.text!)) {
      yield finding("webhook-name", name, `two webhooks are called "${name.text}"`, "rename one of them");
    }
    seen.add(name.text ?? "");
    yield* checkServer(webhook, bundle);
    yield* checkReviews(webhook, isConversion);
    if (isConversion) yield* checkConversion(webhook, bundle);
    else yield* checkAdmission(webhook);
  }
}

function explainAdmissionName(name: string): string[] {
  const reasons = checkSubdomain(name);
  if (reasons.length > 0) return reasons;
  return name.split(".").length < 3
    ? ["must be a domain with at least three parts"]
    : name.split(".").flatMap(checkLabel);
}

function* checkServer(webhook: Located, bundle: Bundle): Findings {
  const name = webhook.get("deploymentName");
  const deployment = deploymentsOf(bundle).find((one) => one.get("name").value === name.value);
  if (!deployment || name.isMissing) {
    const known = deploymentsOf(bundle).flatMap((one) => one.get("name").text ?? []);
    const message = `no deployment is called ${name.isMissing ? "as deploymentName, which is not set" : show(name)}`;
    yield finding(
      "webhook-deployment",
      name,
      message,
      `use one of spec.install.spec.deployments: ${known.join(", ")}`,
    );
  }
  const port = webhook.get("containerPort");
  if (!port.isMissing && !isPort(port.value)) {
    yield finding(
      "webhook-port",
      port,
      `containerPort ${show(port)} is not a port`,
      "use one from 1 to 65535, such as 443",
    );
  }
  const target = webhook.get("targetPort");
  if (target.text !== undefined && deployment) {
    const ports = containersOf(deployment).flatMap((container) => container.get("ports").items);
    if (!ports.some((one) => one.get("name").value === target.text)) {
      const message = `no container of the deployment has a port that is called "${target.text}"`;
      yield finding("webhook-port", target, message, "name the port of the container, or use its number");
    }
  } else if (!target.isMissing && target.text === undefined && !isPort(target.value)) {
    yield finding(
      "webhook-port",
      target,
      `targetPort ${show(target)} is not a port`,
      "use one from 1 to 65535, such as 9443",
    );
  }
  const path = webhook.get("webhookPath");
  if (path.text !== undefined && !path.text.startsWith("/")) {
    yield finding(
      "webhook-path",
      path,
      `webhookPath "${path.text}" does not begin with /`,
      `use /${path.text}`,
    );
  }
}

function isPort(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

function* checkReviews(webhook: Located, isConversion: boolean): Findings {
  const effects = webhook.get("sideEffects");
  if (!["None", "NoneOnDryRun"].includes(effects.text ?? "")) {
    const message = `sideEffects ${show(effects)} is not accepted by API servers`;
    yield finding("webhook-side-effects", effects, message, "use None, or NoneOnDryRun");
  }
  const versions = webhook.get("admissionReviewVersions");
  if (!versions.texts.some((version) => version === "v1" || version === "v1beta1")) {
    const review = isConversion ? "ConversionReview" : "AdmissionReview";
    const message = `no version of ${review} in admissionReviewVersions is one that API servers send`;
    yield finding("webhook-versions", versions, message, "list v1");
  }
}

function* checkAdmission(webhook: Located): Findings {
  const crds = webhook.get("conversionCRDs");
  if (crds.items.length > 0) {
    const message = "conversionCRDs are only for conversion webhooks";
    yield finding("webhook-conversion", crds, message, `use the type ${webhookTypes.conversion} for them`);
  }
  const rules = webhook.get("rules");
  if (rules.items.length === 0) {
    const message = "the webhook has no rules, so it is never called";
    yield finding("webhook-rules", rules, message, "list operations, apiGroups, apiVersions and resources");
  }
  for (const rule of rules.items) {
    const groups = rule.get("apiGroups");
    const resources = rule.get("resources").texts.map((resource) => resource.split("/")[0]);
    const why = explainGroups(groups.texts, resources);
    if (why === undefined) continue;
    yield finding(
      "webhook-rules",
      groups,
      `OLM refuses a webhook ${why}`,
      "list the groups of your own kinds",
    );
  }
}

function explainGroups(
  groups: readonly string[],
  resources: readonly (string | undefined)[],
): string | undefined {
  if (groups.includes("*")) return "for all groups";
  if (groups.includes("operators.coreos.com")) return "for its own objects";
  const configurations = ["*", "mutatingwebhookconfigurations", "validatingwebhookconfigurations"];
  const isForWebhooks = groups.includes("admissionregistration.k8s.io");
  if (isForWebhooks && resources.some((one) => configurations.includes(one ?? "")))
    return "for configurations of webhooks";
  return undefined;
}

function* checkConversion(webhook: Located, bundle: Bundle): Findings {
  const names = webhook.get("conversionCRDs");
  if (names.items.length === 0) {
    const message = "the conversion webhook names no conversionCRDs";
    yield finding("webhook-conversion", names, message, "list the CRDs that it converts");
  }
  const owned = bundle.csv.get("spec", "customresourcedefinitions", "owned").items;
  for (const name of names.items) {
    const crd = crdsOf(bundle).find((one) => one.get("metadata", "name").value === name.value);
    if (!crd || !owned.some((one) => one.get("name").value === name.value)) {
      const message = `the CRD ${show(name)} is not one that the bundle owns`;
      yield finding("webhook-conversion", name, message, "correct its name, or add the CRD");
    } else if (versionsOf(crd).length < 2) {
      const message = `the CRD "${name.text}" has one version, so there is nothing to convert`;
      yield finding("webhook-conversion", name, message, "delete it from conversionCRDs");
    }
  }
  for (const mode of bundle.csv.get("spec", "installModes").items) {
    const isAll = mode.get("type").value === "AllNamespaces";
    if (mode.get("supported").value === isAll) continue;
    const message = `the conversion webhook converts for the whole cluster, so ${show(mode.get("type"))} ${isAll ? "must" : "can't"} be supported`;
    yield finding("webhook-install-modes", mode.get("supported"), message, "support AllNamespaces only");
  }
}
