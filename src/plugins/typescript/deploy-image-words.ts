import { blockCommentText, markerString } from "../../shared/source-text.ts";

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
