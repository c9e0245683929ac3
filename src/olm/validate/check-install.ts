import { isEqual } from "@tsbuilder/apimachinery/json";
import { checkLabel } from "@tsbuilder/apimachinery/naming";
import { didYouMean } from "../../shared/text.ts";
import { installModes } from "../bundle-format.ts";
import type { Located } from "../located.ts";
import { type Bundle, deploymentsOf } from "./bundle.ts";
import { show } from "./check-csv.ts";
import { finding, type Findings } from "./rules.ts";

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
    yield finding(
      "install-strategy",
      at,
      message,
      "add the operator's Deployment to spec.install.spec.deployments",
    );
  }
  yield* checkModes(csv.get("spec", "installModes"));
  yield* checkDeployments(bundle);
  yield* checkServiceAccounts(bundle);
  for (const field of ["permissions", "clusterPermissions"] as const) {
    for (const one of csv.get("spec", "install", "spec", field).items) {
      for (const rule of one.get("rules").items) yield* checkRule(rule, field);
    }
  }
}

function* checkModes(modes: Located): Findings {
  const seen = new Set<string>();
  for (const mode of modes.items) {
    const type = mode.get("type");
    const name = type.text ?? "";
    if (!installModes.some((one) => one === name)) {
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
      yield finding(
        "deployment-name",
        name,
        `the deployment's name ${show(name)} ${reason}`,
        "give it a valid name",
      );
    } else if (seen.has(name.text!)) {
      yield finding(
        "deployment-name",
        name,
        `two deployments are called "${name.text}"`,
        "rename one of them",
      );
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

function* checkServiceAccounts(bundle: Bundle): Findings {
  const strategy = bundle.csv.get("spec", "install", "spec");
  const permissions = [...strategy.get("permissions").items, ...strategy.get("clusterPermissions").items];
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
    yield finding(
      "service-account-conflict",
      name,
      message,
      "delete the manifest, or rename the service account",
    );
  }
}

function* checkRule(rule: Located, field: "permissions" | "clusterPermissions"): Findings {
  const urls = rule.get("nonResourceURLs");
  if (rule.get("verbs").items.length === 0) {
    yield finding(
      "permission-rule",
      rule.get("verbs"),
      "the rule has no verbs",
      "list them, such as get, list, watch",
    );
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
