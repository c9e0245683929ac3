import {
  type FieldError,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from "@tsbuilder/apimachinery/errors";
import { descendingPath, withoutBacksteps } from "../../checks/paths.ts";
import type { Problems } from "../../checks/problems.ts";
import type { Container, VolumeMount, Volume } from "./types.ts";

/** The volumes of a pod that containers may reference, by name. */
export type Volumes = ReadonlyMap<string, Volume>;

/** The volumeMounts of a container. */
export function* mounts(field: string, container: Container, volumes: Volumes): Problems {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const paths = new Set<string>();
  for (const [index, mount] of volumeMounts.entries()) {
    const at = `${field}[${index}]`;
    const { name = "", mountPath = "" } = mount;
    if (name === "") yield required(`${at}.name`);
    if (!volumes.has(name)) yield notFound(`${at}.name`, name);
    if (mountPath === "") yield required(`${at}.mountPath`);
    if (paths.has(mountPath)) yield invalid(`${at}.mountPath`, mountPath, "must be unique");
    paths.add(mountPath);
    if (volumeDevices.some((device) => device.name === name)) {
      yield invalid(`${at}.name`, name, "must not already exist in volumeDevices");
    }
    if (volumeDevices.some(({ devicePath }) => devicePath === mountPath)) {
      yield invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices");
    }
    yield* subPaths(field, at, mount);
    yield* propagation(`${field}.mountPropagation`, mount, container);
    yield* recursiveReadOnly(`${field}.recursiveReadOnly`, mount);
  }
}

/** The real server omits the index if the error is about the path itself. */
function* subPaths(list: string, at: string, { subPath, subPathExpr }: VolumeMount): Problems {
  if (subPath) yield* descendingPath(`${list}.subPath`, subPath);
  if (!subPathExpr) return;
  if (subPath) {
    yield invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive");
  }
  yield* descendingPath(`${list}.subPathExpr`, subPathExpr);
}

const propagations = ["Bidirectional", "HostToContainer", "None"];

function* propagation(
  field: string,
  { mountPropagation }: VolumeMount,
  { securityContext }: Container,
): Problems {
  if (mountPropagation === undefined) return;
  if (!propagations.includes(mountPropagation)) yield notSupported(field, mountPropagation, propagations);
  if (mountPropagation === "Bidirectional" && !securityContext?.privileged) {
    yield forbidden(field, "Bidirectional mount propagation is available only to privileged containers");
  }
}

function* recursiveReadOnly(field: string, mount: VolumeMount): Problems {
  const { recursiveReadOnly: mode, readOnly, mountPropagation = "None" } = mount;
  if (mode === undefined || mode === "Disabled") return;
  if (mode !== "Enabled" && mode !== "IfPossible") {
    return yield notSupported(field, mode, ["Disabled", "Enabled", "IfPossible"]);
  }
  if (!readOnly) yield forbidden(field, "may only be specified when readOnly is true");
  if (mountPropagation !== "None") {
    yield forbidden(field, "may only be specified when mountPropagation is None or not specified");
  }
}

/** The volumeDevices of a container. */
export function* devices(field: string, container: Container, volumes: Volumes): Problems {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [index, { name = "", devicePath = "" }] of volumeDevices.entries()) {
    const at = `${field}[${index}]`;
    if (name === "") yield required(`${at}.name`);
    if (names.has(name)) yield invalid(`${at}.name`, name, "must be unique");
    yield* blockVolume(`${at}.name`, name, volumes.get(name));
    if (devicePath === "") yield required(`${at}.devicePath`);
    if (paths.has(devicePath)) yield invalid(`${at}.devicePath`, devicePath, "must be unique");
    if ([...withoutBacksteps("", devicePath)].length > 0) {
      yield invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (volumeMounts.some((mount) => mount.name === name)) {
      yield invalid(`${at}.name`, name, "must not already exist in volumeMounts");
    }
    if (volumeMounts.some(({ mountPath }) => mountPath === devicePath)) {
      yield invalid(`${at}.devicePath`, devicePath, "must not already exist as a path in volumeMounts");
    }
    if (name !== "") names.add(name);
  }
}

function* blockVolume(field: string, name: string, volume: Volume | undefined): Generator<FieldError, void> {
  if (!volume) return yield notFound(field, name);
  if (volume.persistentVolumeClaim || volume.ephemeral) return;
  const sources = "PersistentVolumeClaim or Ephemeral";
  yield invalid(field, name, `can only use volume source type of ${sources} for block mode`);
}
