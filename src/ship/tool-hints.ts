/** The hints for programs that have no substitute, or one of another name. */
const installHints: Readonly<Record<string, string>> = {
  kubectl: "install kubectl, and check that `kubectl version --client` works",
  kind: "install kind, or use --load minikube or --load k3d",
};

/** Returns the hint for a program that is not installed. */
export function hintForMissing(tool: string): string {
  return installHints[tool] ?? `install ${tool}, or use another tool`;
}

/** A failure that a program reports in its own words, and what to do about it. */
interface Failure {
  readonly pattern: RegExp;
  readonly hint: (tool: string) => string;
}

/** Failures of commands that send an existing image. They need no base image. */
const localFailures: readonly Failure[] = [
  {
    pattern: /image not known|does not exist(?: locally|$)|no such image|image .*not found/im,
    hint: () => "build it first, with the same name: tsbuilder build --image IMAGE",
  },
];

/** The flags for a registry without TLS, by tool. */
const plainHttpFlags: Readonly<Record<string, string>> = {
  buildah: "--tls-verify=false",
  nerdctl: "--insecure-registry",
  podman: "--tls-verify=false",
};

/** Failures of a push, or with a different meaning there: a push uses no base image. */
const pushFailures: readonly Failure[] = [
  {
    pattern: /server gave HTTP response to HTTPS client/i,
    hint: (tool) =>
      tool === "docker"
        ? 'the registry uses plain HTTP: add it to "insecure-registries" of the Docker daemon, and restart the daemon'
        : `the registry uses plain HTTP: tsbuilder push IMAGE -- ${plainHttpFlags[tool] ?? ""}`.trimEnd(),
  },
  {
    pattern: /403 \(?Forbidden|denied:? requested access|access to the resource is denied/i,
    hint: (tool) => `log in with push access (${tool} login REGISTRY), or push to your own repository`,
  },
  {
    pattern: /status code from registry 5\d\d|unexpected HTTP status:? 5\d\d/i,
    hint: () => "the registry has an internal error: try again later, or contact its administrator",
  },
  {
    pattern: /connection refused|no such host|i\/o timeout|TLS handshake timeout|error pinging/i,
    hint: () => "check that the registry is reachable, and that its name and port are correct",
  },
];

/** The commands that free disk space, by tool. */
const pruneCommands: Readonly<Record<string, string>> = {
  buildah: "buildah prune --all",
  nerdctl: "nerdctl system prune",
  podman: "podman system prune",
};

/**
 * Messages of tools about problems outside of them, with hints; the first match counts. A registry responds with
 * "denied" for an image that it does not have, too, so the base image comes before the login.
 */
const imageFailures: readonly Failure[] = [
  {
    pattern: /permission denied.*(?:docker|podman|containerd)\S*\.sock/i,
    hint: (tool) =>
      `the daemon is running, but you have no access to it: join its group, or run ${tool} as root`,
  },
  {
    pattern:
      /cannot connect to (?:the docker daemon|podman)|is the docker daemon running|docker\.sock|containerd socket/i,
    hint: () => "start the daemon, or use another tool with --tool podman or --tool buildah",
  },
  {
    pattern: /manifest unknown|manifest for .* not found|pull access denied|image not known|name unknown/i,
    hint: () =>
      "check the name of the base image, or set another one: --build-arg BASE_IMAGE=…, or BUILD_IMAGE=… for the one that the operator is bundled in",
  },
  {
    pattern:
      /unauthorized|authentication required|denied: requested access|no basic auth credentials|invalid username\/password/i,
    hint: (tool) => `log in to the registry first, for example: ${tool} login REGISTRY`,
  },
  {
    pattern: /no space left on device/i,
    hint: (tool) => `free some disk space, for example: ${pruneCommands[tool] ?? "docker system prune"}`,
  },
  {
    pattern: /connection refused|no such host|i\/o timeout|TLS handshake timeout|error pinging/i,
    hint: () =>
      "check that the server is reachable; with a mirror, set the images: --build-arg BASE_IMAGE=…, and --build-arg BUILD_IMAGE=…",
  },
];

/** Messages of a cluster or of kubectl. */
const clusterFailures: readonly Failure[] = [
  {
    pattern: /because it is being terminated/i,
    hint: () =>
      "wait until the namespace is deleted; to see what it is waiting for: kubectl describe namespace NAME",
  },
  {
    pattern: /cannot locate context|context ".*" does not exist|context was not found/i,
    hint: () => "to list the contexts: kubectl config get-contexts",
  },
  {
    pattern: /current-context must exist|no configuration has been provided/i,
    hint: () => "set a cluster: kubectl config use-context NAME, or --context NAME, or --kubeconfig FILE",
  },
  {
    pattern: /certificate has expired|expired certificate/i,
    hint: () => "renew the expired certificate: the cluster's, or yours in the kubeconfig",
  },
  {
    pattern: /must be logged in|\(Unauthorized\)|provide credentials/i,
    hint: () => "the cluster does not accept the credentials in the kubeconfig: log in again",
  },
  {
    pattern: /was previously a storage version, and must remain in spec\.versions/u,
    hint: () =>
      "objects are stored in the version that is gone: deploy the release before, then tsbuilder migrate storage",
  },
  {
    pattern: /^The \w+ "[^"]+" is invalid/m,
    hint: () => "fix it in config/; tsbuilder installer prints what was sent",
  },
  {
    pattern: /connection refused|connection to the server .* was refused|no such host|i\/o timeout/i,
    hint: () => "check that the cluster is running, and that its address in the kubeconfig is correct",
  },
];

/** Returns the hint for a known failure of a program, from its output; undefined if the failure is unknown. */
export function hintForFailure(
  { tool, args }: { readonly tool: string; readonly args: readonly string[] },
  output: string,
): string | undefined {
  const imageToolFailures = [
    ...(args.includes("push") || args.includes("save") ? localFailures : []),
    ...(args.includes("push") ? pushFailures : []),
    ...imageFailures,
  ];
  const failures = tool === "kubectl" ? clusterFailures : [...imageToolFailures, ...clusterFailures];
  return failures.find(({ pattern }) => pattern.test(output))?.hint(tool);
}
