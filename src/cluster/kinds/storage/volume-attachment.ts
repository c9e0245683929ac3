import { forbidden, required, tooLong } from "@tsbuilder/apimachinery/errors";
import type * as v1 from "@tsbuilder/apimachinery/k8s/storage/v1";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, text } from "../cells.ts";
import { defaultVolumeSource } from "../core/pod-spec/defaults.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { type Problems, declaredImmutable, inRange, refused } from "../checks/problems.ts";
import { inlineVolumeProblems } from "../core/persistent-volume/persistent-volume.ts";
import { driverNameProblems } from "../checks/names.ts";
import { countBytes } from "./storage-classes.ts";

type VolumeAttachment = ApiObject & {
  spec?: Sent<v1.VolumeAttachmentSpec>;
  status?: Sent<v1.VolumeAttachmentStatus>;
};

export const volumeAttachment: BuiltInKind = {
  resource: "volumeattachments.storage.k8s.io",
  metadataChecks: { update: ["new"], status: ["new"] },
  strategy: {
    returnsDeleted: true,
    default(object) {
      object["status"] ??= { attached: false };
      const { inlineVolumeSpec } = (object as VolumeAttachment).spec?.source ?? {};
      if (inlineVolumeSpec) defaultVolumeSource(inlineVolumeSpec);
    },
    validate: (object) => [...attachmentProblems(object)],
    validateUpdate: (object, old) => [...attachmentProblems(object), ...attachmentChanges(object, old)],
  },
  cells: {
    Attacher: text("spec.attacher"),
    PV: text("spec.source.persistentVolumeName"),
    Node: text("spec.nodeName"),
    Attached: (object) => readField<boolean>(object, "status.attached") ?? false,
  },
};

const largestMetadata = 256 * 1024;

function* attachmentProblems({ spec = {}, status = {} }: VolumeAttachment): Problems {
  const { attacher, source = {}, nodeName = "" } = spec;
  yield* driverNameProblems("spec.attacher", attacher);
  yield* sourceProblems("spec.source", source);
  yield* refused("spec.nodeName", nodeName, checkSubdomain(nodeName));
  if (countBytes(status.attachmentMetadata ?? {}) > largestMetadata)
    yield tooLong("status.attachmentMetadata", largestMetadata);
  yield* errorProblems("status.attachError", status.attachError);
  yield* errorProblems("status.detachError", status.detachError);
  const { persistentVolumeName: volume } = source;
  if (volume !== undefined)
    yield* refused("spec.source.persistentVolumeName", volume, checkSubdomain(volume));
}

function* sourceProblems(field: string, source: Sent<v1.VolumeAttachmentSource>): Problems {
  const { inlineVolumeSpec, persistentVolumeName: name } = source;
  const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (!inlineVolumeSpec && name === undefined) yield required(field, detail);
  else if (inlineVolumeSpec && name !== undefined) yield forbidden(field, detail);
  else if (name === "") {
    yield required(`${field}.persistentVolumeName`, "must specify non empty persistentVolumeName");
  } else if (inlineVolumeSpec) yield* inlineVolumeProblems(`${field}.inlineVolumeSpec`, inlineVolumeSpec);
}

const longestMessage = 1024;

function* errorProblems(field: string, error: Sent<v1.VolumeError> | undefined): Problems {
  // The server checks longestMessage, but its message names the limit of metadata.
  if (Buffer.byteLength(error?.message ?? "") > longestMessage)
    yield tooLong(`${field}.message`, largestMetadata);
  yield* inRange(`${field}.errorCode`, error?.errorCode, 0, 2 ** 31 - 1);
}

/** The message shows the spec as a Go struct. */
function* attachmentChanges({ spec = {} }: VolumeAttachment, old: VolumeAttachment): Problems {
  const { attacher = "", source = {}, nodeName = "" } = spec;
  const shown = {
    Attacher: attacher,
    Source: {
      PersistentVolumeName: source.persistentVolumeName ?? null,
      InlineVolumeSpec: source.inlineVolumeSpec ?? null,
    },
    NodeName: nodeName,
  };
  yield* declaredImmutable("spec", spec, old.spec ?? {}, shown);
}
