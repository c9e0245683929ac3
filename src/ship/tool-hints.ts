/** Says what to do where a program is not on the machine. */
export function hintForMissing(tool: string): string {
  return INSTALL[tool] ?? `install ${tool}, or name another tool`;
}

/** Says what to do about what a program printed when it failed, where that is known. */
export function hintForFailure(tool: string, words: string): string | undefined {
  return FAILURES.find(({ pattern }) => pattern.test(words))?.hint(tool);
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

/**
 * What tools say when something outside of them is missing, and what to do about it; the first that fits counts.
 * A registry answers "denied" for an image that it doesn't have, too, so the base image comes before the login.
 */
const FAILURES: readonly { readonly pattern: RegExp; readonly hint: (tool: string) => string }[] = [
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
    pattern: /^The \w+ "[^"]+" is invalid/m,
    hint: () => "mend it in config/; tsbuilder installer shows what was sent",
  },
  {
    pattern: /connection refused|no such host|i\/o timeout|TLS handshake timeout|error pinging/i,
    hint: () =>
      "see that the server can be reached; behind a mirror, set the base image: --build-arg BASE_IMAGE=…",
  },
];
