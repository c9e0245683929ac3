interface Meaning {
  /** When the error occurs. */
  readonly meaning: string;
  /** The remedy, where the hint of the message is not enough. */
  readonly remedy: string;
}

/** The codes of errors that a user can fix, each with one meaning. `tsbuilder explain` prints them. */
export const errorCodes = {
  INVALID_ARGUMENT: {
    meaning: "A command, flag or argument is unknown, or its value is not possible here.",
    remedy: "tsbuilder COMMAND --help lists the flags of a command, with the values that they take.",
  },
  INVALID_NAME: {
    meaning:
      "A group, version, kind, plural or other name is one that Kubernetes does not accept, or a group would have the domain twice.",
    remedy:
      "Groups and domains are DNS names in lower case, a group is given without the domain, versions look like v1, v1beta2 or v1alpha1, and kinds are in PascalCase.",
  },
  MISSING_ANSWER: {
    meaning: "A required flag is missing, and there is no terminal to ask for it.",
    remedy: "Add the flags that the hint names. In a terminal, tsbuilder prompts for them.",
  },
  NOT_A_PROJECT: {
    meaning: "Neither this folder nor one above it has a PROJECT file.",
    remedy: "Change to the folder of your project, or create one with tsbuilder init.",
  },
  ALREADY_INITIALIZED: {
    meaning: "The folder already contains a project.",
    remedy:
      "Add a kind with tsbuilder create api, change settings with tsbuilder edit, or use an empty folder.",
  },
  ALREADY_EXISTS: {
    meaning: "The project has this kind, version, webhook or file, or a name that clashes with it.",
    remedy: "Choose another name, or delete what exists with tsbuilder delete api or delete webhook first.",
  },
  NOT_FOUND: {
    meaning: "A file, kind, version, Service or another thing that the command needs is not there.",
    remedy: "PROJECT lists the kinds of the project; tsbuilder doctor names files that are missing.",
  },
  FILE_CHANGED: {
    meaning:
      "You edited a file that the command would overwrite or delete, or a generated file is out of date.",
    remedy:
      "--diff shows what the command would change. Commit your work first: git then shows what was yours.",
  },
  MARKER_MISSING: {
    meaning: "A comment such as // +tsbuilder:scaffold:imports is gone, where the command adds a line.",
    remedy: "Put the comment back where the hint says, or add the line yourself.",
  },
  INVALID_PROJECT: {
    meaning:
      "PROJECT, or another file that tsbuilder reads, is not what tsbuilder wrote: its YAML or a value is wrong.",
    remedy: "Restore the file from version control, or fix the value that the message names.",
  },
  INVALID_SOURCE: {
    meaning:
      "A type, marker or CRD can't become a manifest: an API server would refuse it, or its meaning is unclear.",
    remedy: "The message names file, line and column; tsbuilder manifests --markers lists the markers.",
  },
  INTERRUPTED: {
    meaning:
      "A prompt was closed by Ctrl-C or Ctrl-D, and nothing was written; or scorecard was stopped by a signal.",
    remedy: "Run the command again; answers to prompts may be passed as flags.",
  },
  TOOL_MISSING: {
    meaning: "A program that the command runs is not installed, such as docker, kubectl, kustomize or helm.",
    remedy: "tsbuilder doctor lists the programs, what needs them, and where to get them.",
  },
  TOOL_FAILED: {
    meaning:
      "A program that the command ran ended with an error: kubectl for a cluster, docker, podman, buildah or nerdctl for an image, helm for a chart, npm for packages, git for an upgrade. The message has its command line, and below it what it said.",
    remedy:
      "Run that command line yourself in the project's folder: what it needs, such as a login, a running daemon or another context, is missing there, too. --verbose shows each program as it runs; tsbuilder doctor says which are installed, and which context kubectl has.",
  },
  CLUSTER_UNREACHABLE: {
    meaning: "The API server of the current context does not answer, or does not accept your credentials.",
    remedy:
      "kubectl config current-context shows where the command goes; --context and --kubeconfig change it.",
  },
  REGISTRY_UNREACHABLE: {
    meaning: "A registry of images does not answer, or gives no digest for an image.",
    remedy:
      "Check that the machine reaches the registry, and that the image can be pulled without a password.",
  },
  INVALID_PLUGIN: {
    meaning:
      "A plugin failed, or contributes what it may not: a file outside of the project, or one that is not its own.",
    remedy:
      "Report it to the author of the plugin. tsbuilder plugins lists those of the project, with their versions.",
  },
  CODE_NOT_ALLOWED: {
    meaning:
      "The command would run code that a clone may have brought along, and that you have not allowed to run: a plugin, or with upgrade --diff the project's own tsbuilder.",
    remedy:
      "Read the code, then allow it with tsbuilder plugins allow NAME. That holds for this folder on this machine, until one of the package's files changes.",
  },
  REFUSED: {
    meaning:
      "The command would lose something, leave the project or contradict a setting, or the cluster or another program forbids it.",
    remedy: "The hint names what to do first, or the flag that allows it.",
  },
} as const satisfies Readonly<Record<string, Meaning>>;

/** A code of `tsbuilder explain`. */
export type ErrorCode = keyof typeof errorCodes;
