/** Says what to do where a program is not on the machine. */
export function hintForMissing(tool: string): string {
  return INSTALL[tool] ?? `install ${tool}, or name another tool`;
}

/** Says what to do about what a program printed when it failed, where that is known. */
export function hintForFailure(
  { tool, args }: { readonly tool: string; readonly args: readonly string[] },
  words: string,
): string | undefined {
  const ofImages = [...(args.includes("push") ? PUSH_FAILURES : []), ...IMAGE_FAILURES];
  const failures = tool === "kubectl" ? CLUSTER_FAILURES : [...ofImages, ...CLUSTER_FAILURES];
  return failures.find(({ pattern }) => pattern.test(words))?.hint(tool);
}

interface Failure {
  readonly pattern: RegExp;
  readonly hint: (tool: string) => string;
}

const INSTALL: Readonly<Record<string, string>> = {
  kubectl: "install kubectl, and see that `kubectl version --client` answers",
  kind: "install kind, or choose another with --load minikube or --load k3d",
};

/** How each tool frees what it keeps. */
const PRUNE: Readonly<Record<string, string>> = {
  buildah: "buildah prune --all",
  nerdctl: "nerdctl system prune",
  podman: "podman system prune",
};

/** What a push alone says, or what means something else there: no base image is asked for. */
const PUSH_FAILURES: readonly Failure[] = [
  {
    pattern: /server gave HTTP response to HTTPS client/i,
    hint: (tool) =>
      tool === "docker"
        ? 'the registry speaks plain HTTP: add it to "insecure-registries" of docker\'s engine, and restart that'
        : `the registry speaks plain HTTP: tsbuilder push IMAGE -- ${PLAIN_HTTP[tool] ?? ""}`.trimEnd(),
  },
  {
    pattern: /image not known|does not exist locally|no such image|image .* not found/i,
    hint: () => "build it first, by the same name: tsbuilder build --image IMAGE",
  },
  {
    pattern: /403 \(?Forbidden|denied:? requested access|access to the resource is denied/i,
    hint: (tool) =>
      `log in as somebody who may write there (${tool} login REGISTRY), or push to a repository of yours`,
  },
  {
    pattern: /status code from registry 5\d\d|unexpected HTTP status:? 5\d\d/i,
    hint: () => "the registry itself fails: try again later, or ask whoever keeps it",
  },
  {
    pattern: /connection refused|no such host|i\/o timeout|TLS handshake timeout|error pinging/i,
    hint: () => "see that the registry can be reached, and that its name and port are right",
  },
];

/** How each tool is told that a registry has no TLS. */
const PLAIN_HTTP: Readonly<Record<string, string>> = {
  buildah: "--tls-verify=false",
  nerdctl: "--insecure-registry",
  podman: "--tls-verify=false",
};

/**
 * What tools say when something outside of them is missing, and what to do about it; the first that fits counts.
 * A registry answers "denied" for an image that it doesn't have, too, so the base image comes before the login.
 */
const IMAGE_FAILURES: readonly Failure[] = [
  {
    pattern: /permission denied.*(?:docker|podman|containerd)\S*\.sock/i,
    hint: (tool) => `the engine runs, but you may not use it: join its group, or start ${tool} as root`,
  },
  {
    pattern:
      /cannot connect to (?:the docker daemon|podman)|is the docker daemon running|docker\.sock|containerd socket/i,
    hint: () => "start the engine, or choose another tool with --tool podman or --tool buildah",
  },
  {
    pattern: /manifest unknown|manifest for .* not found|pull access denied|image not known|name unknown/i,
    hint: () => "see that the base image's name is right, or set another: --build-arg BASE_IMAGE=…",
  },
  {
    pattern:
      /unauthorized|authentication required|denied: requested access|no basic auth credentials|invalid username\/password/i,
    hint: (tool) => `log in to the registry first, for example: ${tool} login REGISTRY`,
  },
  {
    pattern: /no space left on device/i,
    hint: (tool) => `free some room on the disk, for example: ${PRUNE[tool] ?? "docker system prune"}`,
  },
  {
    pattern: /connection refused|no such host|i\/o timeout|TLS handshake timeout|error pinging/i,
    hint: () =>
      "see that the server can be reached; behind a mirror, set the base image: --build-arg BASE_IMAGE=…",
  },
];

/** What a cluster says, or kubectl of one. */
const CLUSTER_FAILURES: readonly Failure[] = [
  {
    pattern: /because it is being terminated/i,
    hint: () => "wait until the namespace is gone; what it waits for is in: kubectl describe namespace NAME",
  },
  {
    pattern: /cannot locate context|context ".*" does not exist|context was not found/i,
    hint: () => "see which there are: kubectl config get-contexts",
  },
  {
    pattern: /current-context must exist|no configuration has been provided/i,
    hint: () => "choose a cluster: kubectl config use-context NAME, or --context NAME, or --kubeconfig FILE",
  },
  {
    pattern: /certificate has expired|expired certificate/i,
    hint: () => "renew the certificate that has expired: the cluster's, or yours in the kubeconfig",
  },
  {
    pattern: /must be logged in|\(Unauthorized\)|provide credentials/i,
    hint: () => "the cluster does not accept the kubeconfig's credentials (any more): log in again",
  },
  {
    pattern: /^The \w+ "[^"]+" is invalid/m,
    hint: () => "mend it in config/; tsbuilder installer shows what was sent",
  },
  {
    pattern: /connection refused|connection to the server .* was refused|no such host|i\/o timeout/i,
    hint: () => "see that the cluster runs, and that the kubeconfig has its address",
  },
];
