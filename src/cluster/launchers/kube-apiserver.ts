import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CertificateWithKey } from "@tsbuilder/apimachinery/certs";
import { builtinResources, releases } from "@tsbuilder/apimachinery/kinds";
import { type ClusterOptions, startCluster } from "../start-cluster.ts";
import type { KubeletTLS } from "../contract/kubelet-tls.ts";
import type { User } from "../contract/user.ts";
import { controllerNames, parseControllerNames } from "../controllers/index.ts";
import { parseFlags, untilTerminated } from "./command-line.ts";

/** Flags whose values are lists; repeated ones add to each other. */
export const listFlags: ReadonlySet<string> = new Set([
  "feature-gates",
  "runtime-config",
  "enable-admission-plugins",
  "disable-admission-plugins",
]);

/**
 * Runs the embedded cluster with the kube-apiserver flags that envtest passes: envtest's serving certificate, and client
 * certificates signed by its CA. Resolves when the process receives a signal to stop, or at once if a flag is refused.
 */
export async function runKubeApiserver(argv: readonly string[]): Promise<void> {
  const flags = parseFlags(argv, listFlags);
  if (flags.has("help")) {
    process.stdout.write("kube-apiserver of tsbuilder: an embedded Kubernetes API server for tests\n");
    return;
  }
  const { names: controllers, unknown } = parseControllerNames(process.env[controllersVariable] ?? "none");
  const { refusal, notes } = unknown.length > 0 ? refuseControllers(unknown) : explainFlags(flags);
  for (const note of notes) process.stderr.write(`kube-apiserver of tsbuilder: ${note}\n`);
  if (refusal !== undefined) {
    process.stderr.write(`kube-apiserver of tsbuilder: ${refusal}\n`);
    process.exitCode = 1;
    return;
  }
  // The server responds before its start is complete, and may receive the signal then.
  const terminated = untilTerminated();
  const cluster = await startCluster({ ...optionsOf(flags), controllers });
  await terminated;
  await cluster.stop();
}

/** Names the controllers to run, or `all`; as in envtest, the default is none. It is a variable because suites choose the flags. */
const controllersVariable = "TSBUILDER_CONTROLLERS";

/** The outcome of flags that choose features: a refusal ends the program, notes are printed. */
interface FlagsOutcome {
  readonly refusal?: string;
  readonly notes: readonly string[];
}

function refuseControllers([unknown]: readonly string[]): FlagsOutcome {
  const refusal = `${controllersVariable} has an unknown controller "${unknown}": use all, or some of ${controllerNames.join(", ")}`;
  return { refusal, notes: [] };
}

/** The admission plugins of the embedded server, which are always on. */
const embeddedPlugins = readNames(`
  CertificateApproval CertificateSigning CertificateSubjectRestriction DefaultTolerationSeconds LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceLifecycle
  NodeRestriction PersistentVolumeClaimResize PodSecurity Priority ResourceQuota RuntimeClass ServiceAccount
  StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook
`);

/** The admission plugins of kube-apiserver 1.36 that the embedded server lacks. */
const missingPlugins = readNames(`
  AlwaysAdmit AlwaysDeny AlwaysPullImages ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass
  DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook JobValidation
  LimitPodHardAntiAffinityTopology NamespaceAutoProvision NamespaceExists NodeDeclaredFeatureValidator
  OwnerReferencesPermissionEnforcement PodGroupProtection PodGroupWorkloadExists
  PodNodeSelector PodResizeValidator PodTolerationRestriction PodTopologyLabels
`);

function readNames(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/u));
}

/** The flags that the embedded server follows, or whose absence nobody can see. */
const followedFlags = readNames(`
  advertise-address allow-privileged authorization-mode bind-address cert-dir client-ca-file
  disable-admission-plugins emulated-version enable-admission-plugins etcd-servers feature-gates kubelet-certificate-authority
  kubelet-client-certificate kubelet-client-key kubelet-preferred-address-types proxy-client-cert-file
  proxy-client-key-file requestheader-allowed-names
  requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers
  requestheader-uid-headers requestheader-username-headers runtime-config secure-port
  service-account-issuer service-account-key-file service-account-signing-key-file service-cluster-ip-range
  tls-cert-file tls-private-key-file token-auth-file v
`);

/** Flags by which a user is let in, kept out or watched: a server that ignored them would be another one. */
const securityFlags =
  /^(?:anonymous-auth|audit-|authentication-|authorization-|egress-|encryption-|oidc-|tls-sni-)/u;

const authorizationModes: ReadonlySet<string> = new Set(["AlwaysAllow", "Node", "RBAC"]);

/**
 * Explains the flags that the embedded server follows only in part, or not at all. As kube-apiserver does, it refuses
 * unknown plugins and malformed gates. envtest disables ServiceAccount by default, which needs no note.
 */
export function explainFlags(flags: ReadonlyMap<string, string>): FlagsOutcome {
  const entries = (name: string): string[] =>
    (flags.get(name) ?? "")
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
  const enabled = entries("enable-admission-plugins");
  const disabled = entries("disable-admission-plugins");
  for (const [flag, names] of [
    ["enable-admission-plugins", enabled],
    ["disable-admission-plugins", disabled],
  ] as const) {
    const unknown = names.find((name) => !embeddedPlugins.has(name) && !missingPlugins.has(name));
    if (unknown !== undefined) return { refusal: `${flag} plugin "${unknown}" is unknown`, notes: [] };
  }
  const gates = entries("feature-gates");
  const malformed = gates.find((gate) => readGate(gate) === undefined);
  if (malformed !== undefined) {
    const refusal = `invalid value "${malformed}" for --feature-gates: write Gate=true or Gate=false`;
    return { refusal, notes: [] };
  }
  const versions = entries("emulated-version").map((entry) => entry.replace(/^kube=/u, ""));
  const unknownVersion = versions.find((version) => !releases.some((release) => release === version));
  if (unknownVersion !== undefined) {
    const refusal = `the embedded server can't emulate "${unknownVersion}": choose one of ${releases.join(", ")}`;
    return { refusal, notes: [] };
  }
  const mode = entries("authorization-mode").find((name) => !authorizationModes.has(name));
  const isFollowed = (name: string): boolean =>
    followedFlags.has(name) || (name === "anonymous-auth" && parseBool(flags.get(name)!) === true);
  const flag = [...flags.keys()].find((name) => securityFlags.test(name) && !isFollowed(name));
  const unfollowed = mode === undefined ? flag : `authorization-mode=${mode}`;
  if (unfollowed !== undefined)
    return { refusal: `the embedded server can't follow --${unfollowed}`, notes: [] };
  return {
    notes: [
      ...[...flags]
        .filter(([name]) => !isFollowed(name))
        .map(([name, value]) => noEffect(name, value, "the embedded server has no such setting")),
      ...gates
        .filter((gate) => readGate(gate) !== "ShardedListAndWatch=true")
        .map((gate) => noEffect("feature-gates", gate, "the embedded server has Kubernetes' defaults")),
      ...entries("runtime-config").flatMap(explainVersion),
      ...enabled
        .filter((name) => missingPlugins.has(name))
        .map((name) => noEffect("enable-admission-plugins", name, "the embedded server lacks this plugin")),
      ...disabled
        .filter((name) => embeddedPlugins.has(name) && name !== "ServiceAccount")
        .map((name) => noEffect("disable-admission-plugins", name, "this plugin is always on")),
    ],
  };
}

function noEffect(flag: string, value: string, why: string): string {
  return `--${flag}=${value} changes nothing: ${why}`;
}

/** Reads `Gate=T` as `Gate=true`; undefined if it is malformed. */
function readGate(entry: string): string | undefined {
  const [, gate, value = ""] = /^([^=]+)=([^=]*)$/u.exec(entry) ?? [];
  const isOn = parseBool(value.trim());
  return gate === undefined || isOn === undefined ? undefined : `${gate.trim()}=${isOn}`;
}

/** Parses a boolean as Go's ParseBool does. */
function parseBool(text: string): boolean | undefined {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  return ["0", "f", "F", "false", "FALSE", "False"].includes(text) ? false : undefined;
}

/** Explains an entry of --runtime-config: the versions of the embedded server can't be changed. */
function explainVersion(entry: string): string[] {
  const [name = "", value = "true"] = entry.split("=");
  const wanted = parseBool(value) ?? true;
  const isServed = builtinResources("all").some(({ apiVersion }) => apiVersion === name) || name === "api/ga";
  if (wanted === isServed) return [];
  const versions = wanted ? "no more versions" : "all its versions";
  return [noEffect("runtime-config", entry, `the embedded server serves ${versions}`)];
}

/** Converts kube-apiserver's flags to the options of a cluster. */
export function optionsOf(flags: ReadonlyMap<string, string>): ClusterOptions {
  const serving = servingCertificate(flags);
  const clientCA = readFlag(flags, "client-ca-file");
  const signingKey = readFlag(flags, "service-account-signing-key-file");
  const issuer = flags.get("service-account-issuer");
  const advertiseAddress = flags.get("advertise-address");
  const version = flags.get("emulated-version")?.replace(/^kube=/u, "");
  const isAccountNeeded = !flags.get("disable-admission-plugins")?.split(",").includes("ServiceAccount");
  return {
    kubernetesVersion: version,
    port: Number(flags.get("secure-port") ?? 6443),
    host: flags.get("bind-address") ?? "127.0.0.1",
    // Endpoints with loopback addresses are invalid.
    ...(advertiseAddress && !advertiseAddress.startsWith("127.") && { advertiseAddress }),
    authorization: flags.get("authorization-mode") === "AlwaysAllow" ? "AlwaysAllow" : "RBAC",
    certificates: { ...(serving && { serving }), ...(clientCA && { clientCA }) },
    disableAdmissionPlugins: isAccountNeeded ? [] : ["ServiceAccount"],
    kubelets: kubeletOptions(flags),
    frontProxy: frontProxyOf(flags),
    ...(signingKey && { serviceAccountKey: signingKey }),
    ...(issuer && { serviceAccountIssuer: issuer }),
    tokens: readTokens(readFlag(flags, "token-auth-file") ?? ""),
  };
}

/** The flags about a proxy in front of other servers, as they are published: lists as JSON, and the authority itself. */
function frontProxyOf(flags: ReadonlyMap<string, string>): NonNullable<ClusterOptions["frontProxy"]> {
  const own = [...flags].filter(([name]) => name.startsWith("requestheader-"));
  const settings = own.map(([name, value]) => [
    name,
    name.endsWith("-file") ? readFileSync(value, "utf8") : JSON.stringify(value.split(",")),
  ]);
  const cert = readFlag(flags, "proxy-client-cert-file");
  const key = readFlag(flags, "proxy-client-key-file");
  return { settings: Object.fromEntries(settings), ...(cert && key && { client: { cert, key } }) };
}

/** Reads how the server identifies itself to kubelets, and how these do to it. */
function kubeletOptions(flags: ReadonlyMap<string, string>): Partial<KubeletTLS> {
  const cert = readFlag(flags, "kubelet-client-certificate");
  const key = readFlag(flags, "kubelet-client-key");
  const ca = readFlag(flags, "kubelet-certificate-authority");
  const types = flags.get("kubelet-preferred-address-types");
  return {
    ...(cert && key && { client: { cert, key } }),
    ...(ca && { ca }),
    ...(types && { addressTypes: types.split(",") }),
  };
}

function servingCertificate(flags: ReadonlyMap<string, string>): CertificateWithKey | undefined {
  const folder = flags.get("cert-dir") ?? "";
  const certFile = flags.get("tls-cert-file") ?? join(folder, "apiserver.crt");
  const keyFile = flags.get("tls-private-key-file") ?? join(folder, "apiserver.key");
  if (!existsSync(certFile) || !existsSync(keyFile)) return undefined;
  return { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}

function readFlag(flags: ReadonlyMap<string, string>, name: string): string | undefined {
  const path = flags.get(name);
  return path ? readFileSync(path, "utf8") : undefined;
}

/** Reads the users of a token file by their tokens. Its lines are `token,user,uid,"group,group"`. */
function readTokens(text: string): Record<string, User> {
  const tokens: Record<string, User> = {};
  for (const line of text.split("\n")) {
    const [, token, name, uid, groupList = ""] =
      /^([^,]+),([^,]+),([^,]*)(?:,"?([^"]*)"?)?$/.exec(line.trim()) ?? [];
    if (token === undefined || name === undefined) continue;
    const groups = groupList.split(",").filter((group) => group !== "");
    tokens[token] = { name, ...(uid && { uid }), groups };
  }
  return tokens;
}
