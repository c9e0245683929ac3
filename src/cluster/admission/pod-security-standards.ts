import type { PodSecurityContext } from "@tsbuilder/apimachinery/k8s/core/v1";
import type {
  Container,
  PodSpec,
  SecurityContext as ContainerSecurityContext,
  Volume,
} from "../kinds/core/pod-spec/types.ts";

/** A Pod Security Standard and the Kubernetes version whose rules apply: `restricted:latest`. */
export interface Standard {
  readonly level: Level;
  readonly version: string;
}

export type Level = "privileged" | "baseline" | "restricted";

export function violationsOf(
  { level }: Standard,
  spec: PodSpec,
  annotations: Readonly<Record<string, string>> = {},
): Violation[] {
  if (level === "privileged") return [];
  const checks = Object.values(level === "baseline" ? baselineChecks : restrictedChecks);
  return checks.flatMap((check) => check(spec, annotations) ?? []);
}

/** A rule of a standard. */
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
  procMount: checkProcMountOfUsers,
  seLinuxOptions: checkSELinux,
  seccompProfile: checkSeccomp,
  sysctls: checkSysctls,
  windowsHostProcess: checkWindowsHostProcess,
} satisfies Record<string, Check>;

const { capabilities: _c, hostPathVolumes: _h, seccompProfile: _s, procMount: _p, ...kept } = baselineChecks;

/** The checks of the restricted standard: stricter ones, and the checks of the baseline that they do not replace. */
const restrictedChecks: Readonly<Record<string, Check>> = {
  ...kept,
  allowPrivilegeEscalation: unlessWindows(checkEscalation),
  restrictedCapabilities: unlessWindows(checkDroppedCapabilities),
  restrictedProcMount: checkProcMount,
  restrictedVolumes: checkVolumes,
  runAsNonRoot: unlessOwnUsers(checkNonRoot),
  runAsUser: unlessOwnUsers(checkUser),
  restrictedSeccompProfile: unlessWindows(checkSeccompSet),
};

/** Skips a check for Windows pods, where these fields have no effect. */
function unlessWindows(check: Check): Check {
  return (spec, annotations) => (spec.os?.name === "windows" ? undefined : check(spec, annotations));
}

/** Skips a check for pods with their own user namespace, in which root is not root on the node. */
function unlessOwnUsers(check: Check): Check {
  return (spec, annotations) => (spec.hostUsers === false ? undefined : check(spec, annotations));
}

const allowedProfiles = new Set(["RuntimeDefault", "Localhost"]);

const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/";

function checkAppArmor(spec: PodSpec, annotations: Readonly<Record<string, string>>): Violation | undefined {
  const forbidden = ({ appArmorProfile }: SecurityContext) =>
    appArmorProfile && !allowedProfiles.has(appArmorProfile.type ?? "")
      ? (appArmorProfile.type ?? "")
      : undefined;
  const annotated = Object.entries(annotations)
    .filter(
      ([key, value]) =>
        key.startsWith(appArmorAnnotation) && !/^$|^runtime\/default$|^localhost\//.test(value),
    )
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .toSorted();
  const contexts = settersOf(spec, (context) => forbidden(context) !== undefined);
  const setters = [
    ...(contexts === "" ? [] : [contexts]),
    ...(annotated.length > 0 ? [plural("annotation", annotated.length)] : []),
  ];
  if (setters.length === 0) return undefined;
  const values = [...valuesOf(spec, forbidden), ...annotated];
  return {
    reason: plural("forbidden AppArmor profile", values.length),
    detail: `${setters.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
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
  const more = (add: readonly string[] = []) => add.filter((capability) => !allowed.has(capability));
  const all = containersOf(spec).flatMap(({ securityContext }) => more(securityContext?.capabilities?.add));
  if (all.length === 0) return undefined;
  const containers = containersWhere(
    spec,
    ({ securityContext }) => more(securityContext?.capabilities?.add).length > 0,
  );
  const names = quoted([...new Set(all)].toSorted());
  return `${nameAll("container", containers)} must not include ${names} in securityContext.capabilities.add`;
}

function checkHostNamespaces(spec: PodSpec): Violation | undefined {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((field) => `${field}=true`).join(", ") };
}

function checkHostPaths({ volumes = [] }: PodSpec): Violation | undefined {
  const names = volumes.filter(({ hostPath }) => hostPath).map(({ name = "" }) => name);
  return names.length === 0 ? undefined : { reason: "hostPath volumes", detail: nameAll("volume", names) };
}

function checkHostPorts(spec: PodSpec): Violation | undefined {
  const containers = containersWhere(spec, ({ ports = [] }) => ports.some(({ hostPort }) => hostPort));
  if (containers.length === 0) return undefined;
  const all = containersOf(spec).flatMap(({ ports = [] }) => ports.flatMap(({ hostPort }) => hostPort || []));
  const ports = [...new Set(all.map(String))].toSorted();
  const use = containers.length === 1 ? "uses" : "use";
  return {
    reason: "hostPort",
    detail: `${nameAll("container", containers)} ${use} ${plural("hostPort", ports.length)} ${ports.join(", ")}`,
  };
}

function checkHostProbes(spec: PodSpec): Violation | undefined {
  const containers = containersWhere(spec, (container) => hostsOf(container).length > 0).toSorted();
  if (containers.length === 0) return undefined;
  const hosts = [...new Set(containersOf(spec).flatMap(hostsOf))].toSorted();
  const use = containers.length === 1 ? "uses" : "use";
  return {
    reason: "probe or lifecycle host",
    detail: `${nameAll("container", containers)} ${use} ${nameAll("probe or lifecycle host", hosts)}`,
  };
}

function checkPrivileged(spec: PodSpec): Violation | undefined {
  const containers = containersWhere(spec, ({ securityContext }) => securityContext?.privileged === true);
  if (containers.length === 0) return undefined;
  return {
    reason: "privileged",
    detail: `${nameAll("container", containers)} must not set securityContext.privileged=true`,
  };
}

/** Ignores pods with their own user namespace, which can't harm others. */
function checkProcMountOfUsers(spec: PodSpec): Violation | undefined {
  return spec.hostUsers === false ? undefined : checkProcMount(spec);
}

function checkProcMount(spec: PodSpec): Violation | undefined {
  const bad = containersOf(spec).filter(({ securityContext }) => {
    const { procMount } = securityContext ?? {};
    return procMount !== undefined && procMount !== "Default";
  });
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name = "" }) => name);
  const types = [...new Set(bad.map(({ securityContext }) => securityContext!.procMount!))].toSorted();
  return {
    reason: "procMount",
    detail: `${nameAll("container", names)} must not set securityContext.procMount to ${quoted(types)}`,
  };
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
  if (setters === "") return undefined;
  const types = valuesOf(spec, ({ seLinuxOptions }) => seLinuxOptions?.type).filter(
    (type) => !seLinuxTypes.has(type),
  );
  const says = (field: "user" | "role") =>
    settersOf(spec, ({ seLinuxOptions }) => Boolean(seLinuxOptions?.[field])) !== "";
  const wrong = [
    ...(types.length > 0 ? [nameAll("type", types)] : []),
    ...(["user", "role"] as const).filter(says).map((field) => `${field} may not be set`),
  ];
  return {
    reason: "seLinuxOptions",
    detail: `${setters} set forbidden securityContext.seLinuxOptions: ${wrong.join("; ")}`,
  };
}

/** Checks the seccomp profile only where one is set. */
function checkSeccomp(spec: PodSpec): Violation | undefined {
  const forbidden = ({ seccompProfile }: SecurityContext) =>
    seccompProfile && !allowedProfiles.has(seccompProfile.type ?? "")
      ? (seccompProfile.type ?? "")
      : undefined;
  const setters = settersOf(spec, (context) => forbidden(context) !== undefined);
  if (setters === "") return undefined;
  const values = quoted(valuesOf(spec, forbidden));
  return {
    reason: "seccompProfile",
    detail: `${setters} must not set securityContext.seccompProfile.type to ${values}`,
  };
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
  if (setters === "") return undefined;
  return {
    reason: "hostProcess",
    detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true`,
  };
}

function checkEscalation(spec: PodSpec): Violation | undefined {
  const containers = containersWhere(
    spec,
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  );
  if (containers.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${nameAll("container", containers)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

function checkDroppedCapabilities(spec: PodSpec): Violation | undefined {
  const keeping = containersWhere(
    spec,
    ({ securityContext }) => !securityContext?.capabilities?.drop?.includes("ALL"),
  );
  const added = addedCapabilities(spec, new Set(["NET_BIND_SERVICE"]));
  const details = [
    ...(keeping.length > 0
      ? [`${nameAll("container", keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
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
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name = "" }) => name);
  const types = bad.map((volume) => Object.keys(volume).find((field) => field !== "name") ?? "unknown");
  const different = [...new Set(types)].toSorted();
  const use = bad.length === 1 ? "uses" : "use";
  return {
    reason: "restricted volume types",
    detail: `${nameAll("volume", names)} ${use} ${plural("restricted volume type", different.length)} ${quoted(different)}`,
  };
}

function checkNonRoot(spec: PodSpec): Violation | undefined {
  const reason = "runAsNonRoot != true";
  const setters = settersOf(spec, ({ runAsNonRoot }) => runAsNonRoot === false);
  if (setters !== "") return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (spec.securityContext?.runAsNonRoot) return undefined;
  const silent = containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return {
    reason,
    detail: `pod or ${nameAll("container", silent)} must set securityContext.runAsNonRoot=true`,
  };
}

function checkUser(spec: PodSpec): Violation | undefined {
  const setters = settersOf(spec, ({ runAsUser }) => runAsUser === 0);
  return setters === ""
    ? undefined
    : { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` };
}

function checkSeccompSet(spec: PodSpec): Violation | undefined {
  const forbidden = checkSeccomp(spec);
  if (forbidden || spec.securityContext?.seccompProfile) return forbidden;
  const silent = containersWhere(spec, ({ securityContext }) => !securityContext?.seccompProfile);
  if (silent.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${nameAll("container", silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}

/** A violation of a standard, in short and in detail. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** `"a", "b"`. */
function quoted(items: Iterable<string>): string {
  return [...items].map((item) => `"${item}"`).join(", ");
}

/** `container "a"`, `containers "a", "b"`. */
function nameAll(what: string, names: readonly string[]): string {
  return `${plural(what, names.length)} ${quoted(names)}`;
}

export function plural(what: string, count: number): string {
  return count === 1 ? what : `${what}s`;
}

/** The names of the containers that match a condition. */
function containersWhere(spec: PodSpec, holds: (container: Container) => boolean): string[] {
  return containersOf(spec)
    .filter(holds)
    .map(({ name = "" }) => name);
}

/** Names the pod and the containers whose security context matches a condition: `pod and container "a"`. */
function settersOf(spec: PodSpec, matches: (context: SecurityContext) => boolean): string {
  const containers = containersWhere(spec, ({ securityContext }) => matches(securityContext ?? {}));
  const setters = [
    ...(matches(spec.securityContext ?? {}) ? ["pod"] : []),
    ...(containers.length > 0 ? [nameAll("container", containers)] : []),
  ];
  return setters.join(" and ");
}

/** The distinct values that the security contexts of a pod and its containers have, sorted. */
function valuesOf(spec: PodSpec, read: (context: SecurityContext) => string | undefined): string[] {
  const contexts = [spec, ...containersOf(spec)].map(({ securityContext }) => securityContext ?? {});
  return [...new Set(contexts.flatMap((context) => read(context) ?? []))].toSorted();
}

/** The fields that pods and containers share. The standards check both alike. */
type SecurityContext = Pick<
  ContainerSecurityContext,
  keyof ContainerSecurityContext & keyof PodSecurityContext
>;

/** All containers in the order in which denials list them. */
export function containersOf(spec: PodSpec): Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** The hosts that a container's probes and lifecycle hooks name instead of the pod itself. */
function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  return handlers.flatMap((handler) =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host) => host !== undefined && host !== ""),
  ) as string[];
}
