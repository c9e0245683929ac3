import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import { defaultVolumeSource } from "../../core/pod-spec/volume-source-defaults.ts";
import { attachmentChanges, attachmentProblems, type VolumeAttachment } from "./rules.ts";

const volumeAttachmentStrategy: Partial<Strategy> = {
  returnsDeleted: true,
  default(object) {
    object["status"] ??= { attached: false };
    const { inlineVolumeSpec } = (object as VolumeAttachment).spec?.source ?? {};
    if (inlineVolumeSpec) defaultVolumeSource(inlineVolumeSpec);
  },
  validate: (object) => [...attachmentProblems(object)],
  validateUpdate: (object, old) => [...attachmentProblems(object), ...attachmentChanges(object, old)],
};

export const volumeAttachment: BuiltInKind = {
  resource: "volumeattachments.storage.k8s.io",
  metadataChecks: "new/new/new",
  strategy: volumeAttachmentStrategy,
  cells: {
    Attacher: text("spec.attacher"),
    PV: text("spec.source.persistentVolumeName"),
    Node: text("spec.nodeName"),
    Attached: (object) => readField<boolean>(object, "status.attached") ?? false,
  },
  emptyObject: { spec: { source: {} } },
  zeroValues: { spec: { attacher: "", nodeName: "" }, status: { attached: false } },
};
