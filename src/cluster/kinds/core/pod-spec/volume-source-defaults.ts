import type { Volume } from "./types.ts";

/** The sources with defaults that volumes of pods and PersistentVolumes share. */
type Sources = Pick<Volume, "azureDisk" | "hostPath" | "iscsi" | "rbd" | "scaleIO">;

export function defaultVolumeSource({ azureDisk, hostPath, iscsi, rbd, scaleIO }: Sources): void {
  if (hostPath) hostPath.type ??= "";
  if (iscsi) iscsi.iscsiInterface ||= "default";
  if (rbd) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (scaleIO) {
    scaleIO.storageMode ||= "ThinProvisioned";
    scaleIO.fsType ||= "xfs";
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
    azureDisk.kind ??= "Shared";
  }
}
