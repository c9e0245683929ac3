import { featurePackages, type Project } from "../../project/project.ts";
import { blockCommentText, markerString } from "../../shared/source-text.ts";

/** A reference operator: its folder of templates, and its default names. */
export interface ReferenceTemplate {
  /** Folder in `templates/typescript/template`. */
  readonly name: string;
  readonly summary: string;
  readonly group: string;
  readonly version: string;
  /** A template without its own kind can be used for any kind. */
  readonly kind: string | undefined;
  /** The packages that its operator imports, with the versions that it was tested with. */
  readonly packages?: Readonly<Record<string, string>>;
  /** The options with their defaults; an undefined default makes the option required. */
  readonly options: Readonly<Record<string, string | undefined>>;
  /** Template variables that are derived from the options. */
  readonly words?: (options: Readonly<Record<string, string>>) => Record<string, string>;
}

/** All reference operators. To add one, add a folder of templates and an entry here. */
export const referenceTemplates: readonly ReferenceTemplate[] = [
  {
    name: "mysql",
    summary: "MySQL with replicas, switchover and backups, which decides over SQL",
    group: "apps",
    version: "v1",
    kind: "MySQL",
    packages: { mysql2: "3.24.6" },
    options: {},
  },
  {
    name: "appservice",
    summary: "a Deployment, a Service and everything else an app needs, in one object",
    group: "apps",
    version: "v1",
    kind: "AppService",
    options: {},
  },
  {
    name: "deploy-image",
    summary: "any image, with its command, port and user",
    group: "apps",
    version: "v1",
    kind: undefined,
    options: { image: undefined, containerCommand: "", containerPort: "", runAsUser: "" },
    words: deployImageWords,
  },
];

/** Returns the packages that a project's templates and features add to those of every project. */
export function packagesOf(project: Project): Readonly<Record<string, string>> {
  const names = new Set(project.resources.map(({ template }) => template?.name));
  return Object.assign(
    {},
    ...referenceTemplates.filter(({ name }) => names.has(name)).map(({ packages }) => packages),
    featurePackages(project),
  ) as Record<string, string>;
}

/**
 * The template variables of deploy-image: the flags become defaults of the kind, where users see and can override them.
 */
export function deployImageWords(options: Readonly<Record<string, string>>): Record<string, string> {
  const { image = "", containerCommand = "", containerPort = "", runAsUser = "" } = options;
  const command = containerCommand.split(",").filter((word) => word !== "");
  return {
    image,
    commandMarkers: lines([
      ...(command.length === 0
        ? []
        : [`+kubebuilder:default={${command.map((word) => markerString(word)).join(",")}}`]),
      "+listType=atomic",
    ]),
    portMarkers: lines([
      ...(containerPort === "" ? [] : [`+kubebuilder:default=${blockCommentText(containerPort)}`]),
      "+kubebuilder:validation:Minimum=1",
      "+kubebuilder:validation:Maximum=65535",
    ]),
    userMarkers: lines([
      ...(runAsUser === "" ? [] : [`+kubebuilder:default=${blockCommentText(runAsUser)}`]),
      "+kubebuilder:validation:Minimum=0",
    ]),
  };
}

function lines(markers: readonly string[]): string {
  return markers.map((marker) => `   * ${marker}`).join("\n");
}
