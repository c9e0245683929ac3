import type { PodSecurityContext } from "@tsbuilder/apimachinery/k8s/core/v1";
import type {
  Container,
  PodSpec,
  SecurityContext as ContainerSecurityContext,
  Volume,
} from "../kinds/core/pod-spec/types.ts";

/** A Pod Security Standard and the Kubernetes version whose rules apply: `restricted:latest`. */
export interface Standard {
  readonly level: "privileged" | "baseline" | "restricted";
  readonly version: string;
}

/** A violation of a standard, in short and in detail. */
interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Lists the violations of a standard by a pod, in the order in which a denial prints them. */
export function findViolations(
  { level }: Standard,
  spec: PodSpec,
  annotations: Readonly<Record<string, string>> = {},
): Violation[] {
  if (level === "privileged") return [];
  const checks = Object.values(level === "baseline" ? baselineChecks : restrictedChecks);
  return checks.flatMap((check) => check(spec, annotations) ?? []);
}

type Check = (spec: PodSpec, annotations: Readonly<Record<string, string>>) => Violation | undefined;

/** The checks of the baseline standard, in the order in which denials list them. */
const baselineChecks = {
  appArmorProfile: checkAppArmor,
  capabilities: checkCapabilities,
  hostNamespaces: checkHostNamespaces,
  hostPathVolumes: checkHostPaths,
  hostPorts: checkHostPorts,
  hostProbes: checkHostProbes,
  privileged: checkPrivileged,
  procMount: unlessUserNamespace(checkProcMount),
  seLinuxOptions: checkSELinux,
  seccompProfile: checkSeccomp,
  sysctls: checkSysctls,
  windowsHostProcess: checkWindowsHostProcess,
} satisfies Record<string, Check>;

const { capabilities: _c, hostPathVolumes: _h, seccompProfile: _s, procMount: _p, ...rest } = baselineChecks;

/** The checks of the restricted standard: stricter ones, and the checks of the baseline that they do not replace. */
const restrictedChecks: Readonly<Record<string, Check>> = {
  ...rest,
  allowPrivilegeEscalation: unlessWindows(checkEscalation),
  restrictedCapabilities: unlessWindows(checkDroppedCapabilities),
  restrictedProcMount: checkProcMount,
  restrictedVolumes: checkVolumes,
  runAsNonRoot: unlessUserNamespace(checkNonRoot),
  runAsUser: unlessUserNamespace(checkUser),
  restrictedSeccompProfile: unlessWindows(checkSeccompIsSet),
};

/** Skips a check for Windows pods, where these fields have no effect. */
function unlessWindows(check: Check): Check {
  return (spec, annotations) => (spec.os?.name === "windows" ? undefined : check(spec, annotations));
}

/** Skips a check for pods with their own user namespace, in which root is not root on the node. */
function unlessUserNamespace(check: Check): Check {
  return (spec, annotations) => (spec.hostUsers === false ? undefined : check(spec, annotations));
}

/** The fields that pods and containers share. The standards check both alike. */
type SecurityContext = Pick<
  ContainerSecurityContext,
  keyof ContainerSecurityContext & keyof PodSecurityContext
>;

const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/";

function checkAppArmor(spec: PodSpec, annotations: Readonly<Record<string, string>>): Violation | undefined {
  const forbidden = ({ appArmorProfile }: SecurityContext) => forbiddenType(appArmorProfile);
  const annotated = Object.entries(annotations)
    .filter(([key]) => key.startsWith(appArmorAnnotation))
    .filter(([, value]) => !/^$|^runtime\/default$|^localhost\//.test(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .toSorted();
  const contexts = settersOf(spec, (context) => forbidden(context) !== undefined);
  const annotationNoun = annotated.length > 0 ? plural("annotation", annotated.length) : "";
  const setters = [contexts, annotationNoun].filter(Boolean).join(" and ");
  const values = [...valuesOf(spec, forbidden), ...annotated];
  const reason = plural("forbidden AppArmor profile", values.length);
  return violation(reason, setters, `must not set AppArmor profile type to ${quoteAll(values)}`);
}

const allowedProfiles = new Set(["RuntimeDefault", "Localhost"]);

/** The type of a security profile if it is not allowed. */
function forbiddenType(profile: { readonly type?: string } | undefined): string | undefined {
  if (!profile) return undefined;
  const { type = "" } = profile;
  return allowedProfiles.has(type) ? undefined : type;
}

const defaultCapabilities = new Set(
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(
    " ",
  ),
);

function checkCapabilities(spec: PodSpec): Violation | undefined {
  const added = addedCapabilities(spec, defaultCapabilities);
  return added === undefined ? undefined : { reason: "non-default capabilities", detail: added };
}

/** Names the containers that add capabilities which are not allowed. */
function addedCapabilities(spec: PodSpec, allowed: ReadonlySet<string>): string | undefined {
  const forbidden = ({ securityContext }: Container) =>
    (securityContext?.capabilities?.add ?? []).filter((capability) => !allowed.has(capability));
  const all = containersOf(spec).flatMap(forbidden);
  if (all.length === 0) return undefined;
  const adding = containersWhere(spec, (container) => forbidden(container).length > 0);
  const names = quoteAll([...new Set(all)].toSorted());
  return `${adding} must not include ${names} in securityContext.capabilities.add`;
}

function checkHostNamespaces(spec: PodSpec): Violation | undefined {
  const fields = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]);
  if (fields.length === 0) return undefined;
  return { reason: "host namespaces", detail: fields.map((field) => `${field}=true`).join(", ") };
}

function checkHostPaths({ volumes = [] }: PodSpec): Violation | undefined {
  const names = volumes.filter(({ hostPath }) => hostPath).map(({ name = "" }) => name);
  return names.length === 0 ? undefined : { reason: "hostPath volumes", detail: nameAll("volume", names) };
}

function checkHostPorts(spec: PodSpec): Violation | undefined {
  const portsOf = ({ ports = [] }: Container) => ports.flatMap(({ hostPort }) => hostPort || []);
  const using = namesWhere(spec, (container) => portsOf(container).length > 0);
  const ports = [...new Set(containersOf(spec).flatMap(portsOf).map(String))].toSorted();
  const detail = `${plural("hostPort", ports.length)} ${ports.join(", ")}`;
  return violation("hostPort", describeUse("container", using), detail);
}

function checkHostProbes(spec: PodSpec): Violation | undefined {
  const using = namesWhere(spec, (container) => hostsOf(container).length > 0).toSorted();
  const hosts = [...new Set(containersOf(spec).flatMap(hostsOf))].toSorted();
  const reason = "probe or lifecycle host";
  return violation(reason, describeUse("container", using), nameAll(reason, hosts));
}

function checkPrivileged(spec: PodSpec): Violation | undefined {
  const privileged = containersWhere(spec, ({ securityContext }) => securityContext?.privileged === true);
  return violation("privileged", privileged, "must not set securityContext.privileged=true");
}

function checkProcMount(spec: PodSpec): Violation | undefined {
  const typeOf = ({ securityContext }: Container) => {
    const { procMount } = securityContext ?? {};
    return procMount === "Default" ? undefined : procMount;
  };
  const setters = containersWhere(spec, (container) => typeOf(container) !== undefined);
  const types = [...new Set(containersOf(spec).flatMap((container) => typeOf(container) ?? []))].toSorted();
  return violation("procMount", setters, `must not set securityContext.procMount to ${quoteAll(types)}`);
}

const seLinuxTypes = new Set([
  "",
  "container_t",
  "container_init_t",
  "container_kvm_t",
  "container_engine_t",
]);

function checkSELinux(spec: PodSpec): Violation | undefined {
  const setters = settersOf(spec, ({ seLinuxOptions }) => {
    const { type = "", user, role } = seLinuxOptions ?? {};
    return !seLinuxTypes.has(type) || Boolean(user) || Boolean(role);
  });
  const all = valuesOf(spec, ({ seLinuxOptions }) => seLinuxOptions?.type);
  const types = all.filter((type) => !seLinuxTypes.has(type));
  const isAnySet = (field: "user" | "role") =>
    settersOf(spec, ({ seLinuxOptions }) => Boolean(seLinuxOptions?.[field])) !== "";
  const wrong = [
    ...(types.length > 0 ? [nameAll("type", types)] : []),
    ...(["user", "role"] as const).filter(isAnySet).map((field) => `${field} may not be set`),
  ];
  const detail = `set forbidden securityContext.seLinuxOptions: ${wrong.join("; ")}`;
  return violation("seLinuxOptions", setters, detail);
}

/** Checks the seccomp profile only where one is set. */
function checkSeccomp(spec: PodSpec): Violation | undefined {
  const forbidden = ({ seccompProfile }: SecurityContext) => forbiddenType(seccompProfile);
  const setters = settersOf(spec, (context) => forbidden(context) !== undefined);
  const values = quoteAll(valuesOf(spec, forbidden));
  const detail = `must not set securityContext.seccompProfile.type to ${values}`;
  return violation("seccompProfile", setters, detail);
}

const safeSysctls = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ping_group_range",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.tcp_wmem",
]);

function checkSysctls({ securityContext }: PodSpec): Violation | undefined {
  const names = (securityContext?.sysctls ?? [])
    .map(({ name = "" }) => name)
    .filter((name) => !safeSysctls.has(name));
  return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: names.join(", ") };
}

function checkWindowsHostProcess(spec: PodSpec): Violation | undefined {
  const setters = settersOf(spec, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
  return violation("hostProcess", setters, "must not set securityContext.windowsOptions.hostProcess=true");
}

function checkEscalation(spec: PodSpec): Violation | undefined {
  const field = "allowPrivilegeEscalation";
  const unset = containersWhere(spec, ({ securityContext }) => securityContext?.[field] !== false);
  return violation(`${field} != false`, unset, `must set securityContext.${field}=false`);
}

function checkDroppedCapabilities(spec: PodSpec): Violation | undefined {
  const drops = ({ securityContext }: Container) => securityContext?.capabilities?.drop?.includes("ALL");
  const keeping = containersWhere(spec, (container) => !drops(container));
  const added = addedCapabilities(spec, new Set(["NET_BIND_SERVICE"]));
  const details = [
    ...(keeping === "" ? [] : [`${keeping} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(added === undefined ? [] : [added]),
  ];
  return details.length === 0
    ? undefined
    : { reason: "unrestricted capabilities", detail: details.join("; ") };
}

const allowedVolumes: readonly (keyof Volume)[] = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

function checkVolumes({ volumes = [] }: PodSpec): Violation | undefined {
  const bad = volumes.filter((volume) => !allowedVolumes.some((type) => volume[type] !== undefined));
  const names = bad.map(({ name = "" }) => name);
  const types = bad.map((volume) => Object.keys(volume).find((field) => field !== "name") ?? "unknown");
  const different = nameAll("restricted volume type", [...new Set(types)].toSorted());
  return violation("restricted volume types", describeUse("volume", names), different);
}

function checkNonRoot(spec: PodSpec): Violation | undefined {
  const reason = "runAsNonRoot != true";
  const setters = settersOf(spec, ({ runAsNonRoot }) => runAsNonRoot === false);
  if (setters !== "") return violation(reason, setters, "must not set securityContext.runAsNonRoot=false");
  if (spec.securityContext?.runAsNonRoot) return undefined;
  const unset = containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  return violation(reason, unset && `pod or ${unset}`, "must set securityContext.runAsNonRoot=true");
}

function checkUser(spec: PodSpec): Violation | undefined {
  const setters = settersOf(spec, ({ runAsUser }) => runAsUser === 0);
  return violation("runAsUser=0", setters, "must not set runAsUser=0");
}

function checkSeccompIsSet(spec: PodSpec): Violation | undefined {
  const forbidden = checkSeccomp(spec);
  if (forbidden || spec.securityContext?.seccompProfile) return forbidden;
  const unset = containersWhere(spec, ({ securityContext }) => !securityContext?.seccompProfile);
  const wanted = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return violation("seccompProfile", unset && `pod or ${unset}`, wanted);
}

/** A violation by the pod or containers that `setters` names; undefined if it is empty. */
function violation(reason: string, setters: string, detail: string): Violation | undefined {
  return setters === "" ? undefined : { reason, detail: `${setters} ${detail}` };
}

/** `"a", "b"`. */
function quoteAll(items: Iterable<string>): string {
  return [...items].map((item) => `"${item}"`).join(", ");
}

/** `container "a"`, `containers "a", "b"`. */
function nameAll(noun: string, names: readonly string[]): string {
  return `${plural(noun, names.length)} ${quoteAll(names)}`;
}

/** `container "a" uses`, `containers "a", "b" use`; empty for no names. */
function describeUse(noun: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  return `${nameAll(noun, names)} ${names.length === 1 ? "uses" : "use"}`;
}

/** The noun for a count: `pod`, `pods`. */
export function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}

/** Names the containers that match a condition; empty if there are none. */
function containersWhere(spec: PodSpec, matches: (container: Container) => boolean): string {
  const names = namesWhere(spec, matches);
  return names.length === 0 ? "" : nameAll("container", names);
}

function namesWhere(spec: PodSpec, matches: (container: Container) => boolean): string[] {
  return containersOf(spec)
    .filter(matches)
    .map(({ name = "" }) => name);
}

/** Names the pod and the containers whose security context matches a condition: `pod and container "a"`. */
function settersOf(spec: PodSpec, matches: (context: SecurityContext) => boolean): string {
  const containers = containersWhere(spec, ({ securityContext }) => matches(securityContext ?? {}));
  const pod = matches(spec.securityContext ?? {}) ? "pod" : "";
  return [pod, containers].filter(Boolean).join(" and ");
}

/** The distinct values that the security contexts of a pod and its containers have, sorted. */
function valuesOf(spec: PodSpec, read: (context: SecurityContext) => string | undefined): string[] {
  const contexts = [spec, ...containersOf(spec)].map(({ securityContext }) => securityContext ?? {});
  return [...new Set(contexts.flatMap((context) => read(context) ?? []))].toSorted();
}

/** All containers in the order in which denials list them. */
export function containersOf(spec: PodSpec): Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** The hosts that a container's probes and lifecycle hooks name instead of the pod itself. */
function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  const hosts = handlers.flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host]);
  return hosts.filter((host): host is string => Boolean(host));
}

/** The violations in a denial or warning: `reason (detail), reason (detail)`. */
export function describeViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
}
