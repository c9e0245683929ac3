import { isEqual } from "@tsbuilder/apimachinery/json";
import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { didYouMean } from "../../shared/text.ts";
import { installModes, webhookTypes } from "../bundle-format.ts";
import type { Located } from "../located.ts";
import type { Bundle } from "./bundle.ts";
import { containersOf, crdsOf, definedCrds, deploymentsOf, permissionsOf, versionsOf } from "./bundle.ts";
import { show } from "./check-csv.ts";
import { type Findings, finding } from "./rules.ts";

/** Checks the Deployments that OLM installs, their permissions, and the install modes. */
export function* checkInstall(bundle: Bundle): Findings {
  const { csv } = bundle;
  if (csv.isMissing) return;
  const strategy = csv.get("spec", "install", "strategy");
  if (strategy.value !== "deployment") {
    const message = `the install strategy ${show(strategy)} is not one that OLM knows`;
    yield finding("install-strategy", strategy, message, "set spec.install.strategy: deployment");
  }
  if (deploymentsOf(bundle).length === 0) {
    const message = "there is no deployment to install";
    const at = csv.get("spec", "install", "spec", "deployments");
    const hint = "add the operator's Deployment to spec.install.spec.deployments";
    yield finding("install-strategy", at, message, hint);
  }
  yield* checkInstallModes(csv.get("spec", "installModes"));
  yield* checkDeployments(bundle);
  yield* checkServiceAccounts(bundle);
  for (const field of ["permissions", "clusterPermissions"] as const) {
    for (const permission of csv.get("spec", "install", "spec", field).items) {
      for (const rule of permission.get("rules").items) yield* checkRule(rule, field);
    }
  }
}

function* checkInstallModes(modes: Located): Findings {
  const seen = new Set<string>();
  for (const mode of modes.items) {
    const type = mode.get("type");
    const name = type.text ?? "";
    if (!installModes.some((known) => known === name)) {
      const meant = didYouMean(name, installModes);
      const hint = meant === undefined ? `use ${installModes.join(", ")}` : `did you mean ${meant}?`;
      yield finding("install-modes", type, `there is no install mode "${name}"`, hint);
    } else if (seen.has(name)) {
      yield finding("install-modes", type, `the install mode ${name} is listed twice`, "delete one of them");
    }
    seen.add(name);
  }
  if (!modes.items.some((mode) => mode.get("supported").value === true)) {
    const message = "no install mode is supported, so the operator can't be installed";
    yield finding("install-modes", modes, message, "set supported: true for AllNamespaces or another mode");
  }
  const missing = installModes.filter((mode) => !seen.has(mode));
  if (missing.length === 0) return;
  const message = `the install modes ${missing.join(", ")} are not declared, which counts as unsupported`;
  yield finding("install-modes-missing", modes, message, "declare each with supported: true or false");
}

function* checkDeployments(bundle: Bundle): Findings {
  const seen = new Set<string>();
  for (const deployment of deploymentsOf(bundle)) {
    const name = deployment.get("name");
    const [reason] = checkLabel(name.text ?? "");
    if (reason !== undefined) {
      const message = `the deployment's name ${show(name)} ${reason}`;
      yield finding("deployment-name", name, message, "give it a valid name");
    } else if (seen.has(name.text!)) {
      const message = `two deployments are called "${name.text}"`;
      yield finding("deployment-name", name, message, "rename one of them");
    }
    seen.add(name.text ?? "");
    const selector = deployment.get("spec", "selector", "matchLabels");
    const labels = deployment.get("spec", "template", "metadata", "labels");
    for (const [key, value] of selector.entries) {
      if (isEqual(value.value, labels.get(key).value)) continue;
      const message = `the selector wants the label ${key}=${value.text}, which the pods don't have`;
      yield finding("deployment-selector", value, message, "set it in spec.template.metadata.labels, too");
    }
  }
}

/** Checks service accounts. OLM creates those with permissions, and refuses a bundle that has one as a manifest, too. */
function* checkServiceAccounts(bundle: Bundle): Findings {
  const permissions = permissionsOf(bundle);
  const permitted = new Set(permissions.map((one) => one.get("serviceAccountName").text));
  const accounts = bundle.objects.filter((object) => object.get("kind").value === "ServiceAccount");
  const bundled = new Set(accounts.map((account) => account.get("metadata", "name").text));
  const used = new Set<string | undefined>();
  for (const deployment of deploymentsOf(bundle)) {
    const account = deployment.get("spec", "template", "spec", "serviceAccountName");
    const name = account.text ?? "default";
    used.add(name);
    if (name === "default" || permitted.has(name) || bundled.has(name)) continue;
    const message = `nothing creates the service account "${name}": no permissions are for it`;
    const hint = `add permissions or clusterPermissions with serviceAccountName: ${name}`;
    yield finding("service-account-missing", account, message, hint);
  }
  for (const account of permissions.map((one) => one.get("serviceAccountName"))) {
    if (account.text === undefined || used.has(account.text) || bundled.has(account.text)) continue;
    const message = `no deployment runs as the service account "${account.text}"`;
    yield finding("service-account-unused", account, message, "delete its permissions, or correct its name");
  }
  for (const account of accounts) {
    const name = account.get("metadata", "name");
    if (!permitted.has(name.text) && !used.has(name.text)) continue;
    const message = `OLM creates the service account "${name.text}" of the deployment itself`;
    const hint = "delete the manifest, or rename the service account";
    yield finding("service-account-conflict", name, message, hint);
  }
}

function* checkRule(rule: Located, field: "permissions" | "clusterPermissions"): Findings {
  const urls = rule.get("nonResourceURLs");
  if (rule.get("verbs").items.length === 0) {
    const message = "the rule has no verbs";
    yield finding("permission-rule", rule.get("verbs"), message, "list them, such as get, list, watch");
  }
  if (rule.get("resources").items.length === 0 && urls.items.length === 0) {
    const message = "the rule has neither resources nor nonResourceURLs";
    yield finding("permission-rule", rule, message, "list the resources that it is about");
  } else if (rule.get("resources").items.length > 0 && rule.get("apiGroups").items.length === 0) {
    const message = "the rule has resources, but no apiGroups";
    yield finding("permission-rule", rule, message, 'list the groups of the resources: "" is the core group');
  }
  if (field === "permissions" && urls.items.length > 0) {
    const message = "permissions for nonResourceURLs can't be limited to a namespace";
    yield finding("permission-rule", urls, message, "move the rule to clusterPermissions");
  }
}

/** Checks the webhook definitions, from which OLM creates configurations, Services and certificates. */
export function* checkWebhooks(bundle: Bundle): Findings {
  const seen = new Set<string>();
  for (const webhook of bundle.csv.get("spec", "webhookdefinitions").items) {
    const name = webhook.get("generateName");
    const isConversion = webhook.get("type").value === webhookTypes.conversion;
    const [reason] = isConversion ? checkSubdomain(name.text ?? "") : explainAdmissionName(name.text ?? "");
    if (reason !== undefined) {
      const message = `the webhook's name ${show(name)} ${reason}`;
      yield finding("webhook-name", name, message, "use one such as vshop.kb.io");
    } else if (seen.has(name.text!)) {
      yield finding("webhook-name", name, `two webhooks are called "${name.text}"`, "rename one of them");
    }
    seen.add(name.text ?? "");
    yield* checkBackend(webhook, bundle);
    yield* checkReviewFields(webhook, isConversion);
    if (isConversion) yield* checkConversion(webhook, bundle);
    else yield* checkAdmission(webhook);
  }
}

/** Returns the reasons why an API server refuses the name of an admission webhook. */
function explainAdmissionName(name: string): string[] {
  const reasons = checkSubdomain(name);
  if (reasons.length > 0) return reasons;
  return name.split(".").length < 3
    ? ["must be a domain with at least three parts"]
    : name.split(".").flatMap(checkLabel);
}

/** Checks the Deployment, the port and the path to which the API server sends a webhook's requests. */
function* checkBackend(webhook: Located, bundle: Bundle): Findings {
  const name = webhook.get("deploymentName");
  const deployment = deploymentsOf(bundle).find((one) => one.get("name").value === name.value);
  if (!deployment || name.isMissing) {
    const known = deploymentsOf(bundle).flatMap((one) => one.get("name").text ?? []);
    const message = `no deployment is called ${name.isMissing ? "as deploymentName, which is not set" : show(name)}`;
    const hint = `use one of spec.install.spec.deployments: ${known.join(", ")}`;
    yield finding("webhook-deployment", name, message, hint);
  }
  const port = webhook.get("containerPort");
  if (!port.isMissing && !isPort(port.value)) {
    const message = `containerPort ${show(port)} is not a port`;
    yield finding("webhook-port", port, message, "use one from 1 to 65535, such as 443");
  }
  const target = webhook.get("targetPort");
  if (target.text !== undefined && deployment) {
    const ports = containersOf(deployment).flatMap((container) => container.get("ports").items);
    if (!ports.some((one) => one.get("name").value === target.text)) {
      const message = `no container of the deployment has a port that is called "${target.text}"`;
      yield finding("webhook-port", target, message, "name the port of the container, or use its number");
    }
  } else if (!target.isMissing && target.text === undefined && !isPort(target.value)) {
    const message = `targetPort ${show(target)} is not a port`;
    yield finding("webhook-port", target, message, "use one from 1 to 65535, such as 9443");
  }
  const path = webhook.get("webhookPath");
  if (path.text !== undefined && !path.text.startsWith("/")) {
    const message = `webhookPath "${path.text}" does not begin with /`;
    yield finding("webhook-path", path, message, `use /${path.text}`);
  }
}

function isPort(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

function* checkReviewFields(webhook: Located, isConversion: boolean): Findings {
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
    const why = refusedScope(groups.texts, resources);
    if (why === undefined) continue;
    const message = `OLM refuses a webhook ${why}`;
    yield finding("webhook-rules", groups, message, "list the groups of your own kinds");
  }
}

/** Returns why OLM refuses a webhook for some groups and resources: it could block OLM, or the repair of webhooks. */
function refusedScope(groups: readonly string[], resources: readonly (string | undefined)[]) {
  if (groups.includes("*")) return "for all groups";
  if (groups.includes("operators.coreos.com")) return "for its own objects";
  const configurations = ["*", "mutatingwebhookconfigurations", "validatingwebhookconfigurations"];
  const isForWebhooks = groups.includes("admissionregistration.k8s.io");
  if (isForWebhooks && resources.some((one) => configurations.includes(one ?? "")))
    return "for configurations of webhooks";
  return undefined;
}

/** Checks a conversion webhook. OLM installs one only for all namespaces, since a CRD belongs to the whole cluster. */
function* checkConversion(webhook: Located, bundle: Bundle): Findings {
  const names = webhook.get("conversionCRDs");
  if (names.items.length === 0) {
    const message = "the conversion webhook names no conversionCRDs";
    yield finding("webhook-conversion", names, message, "list the CRDs that it converts");
  }
  const owned = definedCrds(bundle, "owned");
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
    const isAllNamespaces = mode.get("type").value === "AllNamespaces";
    if (mode.get("supported").value === isAllNamespaces) continue;
    const message = `the conversion webhook converts for the whole cluster, so ${show(mode.get("type"))} ${isAllNamespaces ? "must" : "can't"} be supported`;
    yield finding("webhook-install-modes", mode.get("supported"), message, "support AllNamespaces only");
  }
}
