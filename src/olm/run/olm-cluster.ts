import { setTimeout as delay } from "node:timers/promises";
import { TsbuilderError } from "../../shared/errors.ts";
import { type ClusterChoice, readJson, readList, runKubectl, timedOut } from "../../ship/cluster/kubectl.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import type { ClusterServiceVersion } from "../bundle/csv.ts";

/** The cluster and the namespace in which OLM installs a package. */
export interface OlmPlace extends ClusterChoice {
  readonly namespace: string;
  /** Seconds to wait for OLM. */
  readonly timeout: number;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

export interface Subscription extends ManifestObject {
  readonly spec: {
    readonly name: string;
    readonly source: string;
    readonly sourceNamespace: string;
    readonly startingCSV?: string;
  };
  readonly status?: {
    readonly installPlanRef?: { readonly name: string };
    readonly installedCSV?: string;
    readonly currentCSV?: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface OperatorGroup extends ManifestObject {
  readonly spec?: { readonly targetNamespaces?: readonly string[] };
}

/** Fails before anything is written if the cluster has no OLM. */
export async function requireOlm(choice: ClusterChoice): Promise<void> {
  const { stdout } = await runKubectl(choice, ["api-versions"]);
  const served = new Set(stdout.split("\n").map((line) => line.trim()));
  const missing = ["operators.coreos.com/v1alpha1", "operators.coreos.com/v1"].filter(
    (one) => !served.has(one),
  );
  if (missing.length === 0) return;
  const hasV1 = served.has("olm.operatorframework.io/v1");
  throw new TsbuilderError(`the cluster does not serve ${missing.join(" and ")}: it has no OLM v0`, {
    code: "REFUSED",
    hint: hasV1
      ? "it has OLM v1: put the bundle into a catalog, and apply what tsbuilder catalog show PACKAGE --image IMAGE prints"
      : "install OLM first: operator-sdk olm install; or do without: tsbuilder deploy",
  });
}

const olmGroup = "operators.coreos.com";

export async function readSubscriptions(place: OlmPlace): Promise<readonly Subscription[]> {
  return readAll<Subscription>(place, `subscriptions.${olmGroup}`);
}

export async function readOperatorGroups(place: OlmPlace): Promise<readonly OperatorGroup[]> {
  return readAll<OperatorGroup>(place, `operatorgroups.${olmGroup}`);
}

export interface InstalledVersion extends ClusterServiceVersion {
  readonly status?: { readonly phase?: string; readonly message?: string };
}

const csvResource = `clusterserviceversions.${olmGroup}`;

export async function readVersion(place: OlmPlace, name: string): Promise<InstalledVersion | undefined> {
  return readNamed<InstalledVersion>(place, csvResource, name);
}

/** Reads the versions of a package, by OLM's label. */
export async function readVersions(
  place: OlmPlace,
  packageName: string,
): Promise<readonly InstalledVersion[]> {
  return readAll<InstalledVersion>(place, csvResource, "--selector", versionLabel(packageName, place));
}

/** Returns OLM's label for the versions of a package. OLM cuts its name to 63 characters. */
function versionLabel(packageName: string, { namespace }: OlmPlace): string {
  return `${olmGroup}/${`${packageName}.${namespace}`.slice(0, 63).replace(/[-._]+$/u, "")}`;
}

async function readAll<T>(
  place: OlmPlace,
  resource: string,
  ...more: readonly string[]
): Promise<readonly T[]> {
  return readList<T>(place, resource, "--namespace", place.namespace, ...more);
}

/** Reads an object in OLM's namespace; undefined if it does not exist. */
export async function readNamed<T>(place: OlmPlace, resource: string, name: string): Promise<T | undefined> {
  return readJson<T>(place, ["get", resource, name, "--namespace", place.namespace]);
}

interface InstallPlan {
  readonly spec: { readonly clusterServiceVersionNames: readonly string[] };
}

/** Approves OLM's plan for a Subscription, once there is one for the given version. */
export async function approvePlan(place: OlmPlace, name: string, version: string): Promise<void> {
  const read = () => readNamed<Subscription>(place, `subscriptions.${olmGroup}`, name);
  const resource = `installplans.${olmGroup}`;
  const plan = await waitUntil(
    place,
    async () => {
      const planName = (await read())?.status?.installPlanRef?.name;
      if (planName === undefined) return undefined;
      const found = await readNamed<InstallPlan>(place, resource, planName);
      return found?.spec.clusterServiceVersionNames.includes(version) ? planName : undefined;
    },
    async () => {
      const { conditions = [] } = (await read())?.status ?? {};
      const messages = conditions
        .filter(({ status }) => status === "True")
        .map((one) => one.message ?? one.type);
      return timeoutError(
        `OLM made no plan for ${version} of the Subscription ${name} within ${place.timeout} s`,
        messages,
        `kubectl describe subscriptions.${olmGroup} ${name} --namespace ${place.namespace}`,
      );
    },
  );
  const patch = JSON.stringify({ spec: { approved: true } });
  const args = ["patch", resource, plan, "--namespace", place.namespace, "--type", "merge", "--patch", patch];
  await runKubectl(place, args);
}

/** Waits until a version is installed, and its Deployments are available. */
export async function waitForVersion(place: OlmPlace, name: string): Promise<void> {
  const read = () => readVersion(place, name);
  const describeCommand = `kubectl describe ${csvResource} ${name} --namespace ${place.namespace}`;
  const status = await waitUntil(
    place,
    async () => {
      const current = (await read())?.status;
      return current?.phase === "Succeeded" || current?.phase === "Failed" ? current : undefined;
    },
    async () => {
      const { phase = "not there yet", message = "" } = (await read())?.status ?? {};
      const timeoutMessage = `${name} was not installed within ${place.timeout} s: it is ${phase}`;
      return timeoutError(timeoutMessage, message === "" ? [] : [message], describeCommand);
    },
  );
  if (status.phase === "Succeeded") return;
  throw new TsbuilderError(`OLM could not install ${name}: ${status.message ?? "it does not say why"}`, {
    code: "TOOL_FAILED",
    hint: `see why: ${describeCommand}`,
  });
}

/** Polls until a value is there. Throws the error that `explain` returns when the time is over. */
async function waitUntil<T>(
  { timeout }: OlmPlace,
  read: () => Promise<T | undefined>,
  explain: () => Promise<TsbuilderError>,
): Promise<T> {
  const deadline = Date.now() + timeout * 1000;
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    if (Date.now() >= deadline) throw await explain();
    await delay(500);
  }
}

function timeoutError(message: string, reasons: readonly string[], describeCommand: string): TsbuilderError {
  const hint = `see why: ${describeCommand}; or call it again, with a longer --timeout: it goes on where it stopped`;
  return timedOut(message, reasons, hint);
}
