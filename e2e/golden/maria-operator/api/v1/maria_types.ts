/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Condition,
  type CustomResource,
  defineKind,
  type int32,
  type int64,
  type Quantity,
  type Time,
} from "@tsbuilder/runtime";
import type {
  LocalObjectReference,
  ResourceRequirements,
  Toleration,
  TopologySpreadConstraint,
} from "@tsbuilder/runtime/k8s/core/v1";
import { groupVersion } from "./groupversion_info.ts";

/**
 * MariaSpec is what the user asks for.
 * +kubebuilder:validation:XValidation:rule="!has(self.primary) || self.primary < self.size",message="primary must be less than size"
 * +kubebuilder:validation:XValidation:rule="has(self.restoreFrom) == has(oldSelf.restoreFrom) && (!has(self.restoreFrom) || self.restoreFrom == oldSelf.restoreFrom)",message="restoreFrom can only be set on creation, and is immutable"
 */
export interface MariaSpec {
  /**
   * Image of the server: one of MySQL's own, from 8.4 on.
   * +kubebuilder:default="mysql:9.7"
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=512
   */
  image?: string;
  /**
   * Secrets to pull the image with.
   * +kubebuilder:validation:MaxItems=16
   * +listType=map
   * +listMapKey=name
   */
  imagePullSecrets?: LocalObjectReference[];
  /**
   * User of the application.
   * +kubebuilder:default=app
   * +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]{0,31}$`
   * +kubebuilder:validation:MaxLength=32
   * +kubebuilder:validation:XValidation:rule="!(self in ['root', 'operator']) && !self.startsWith('mysql')",message="this user name is reserved"
   * +kubebuilder:validation:XValidation:rule="self == oldSelf",message="username is immutable"
   */
  username?: string;
  /** Secret with the user's password. Default: a generated password. A former password stays valid for an hour. */
  passwordSecret?: SecretKey;
  /**
   * Database to create, to which the user has all rights.
   * +kubebuilder:default=app
   * +kubebuilder:validation:Pattern=`^[A-Za-z0-9_]{1,64}$`
   * +kubebuilder:validation:MaxLength=64
   * +kubebuilder:validation:XValidation:rule="!(self.lowerAscii() in ['mysql', 'sys', 'information_schema', 'performance_schema'])",message="this database is the server's own"
   * +kubebuilder:validation:XValidation:rule="self == oldSelf",message="database is immutable"
   */
  database?: string;
  /**
   * Number of servers: one primary, the rest replicas.
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=5
   */
  size?: int32;
  /**
   * The server that is the primary, from 0. A change switches over. Default: the current primary.
   * +kubebuilder:validation:Minimum=0
   */
  primary?: int32;
  /**
   * The word for a loss of data, from the status. Each loss has its own word, so an old one agrees to nothing.
   * +kubebuilder:validation:MaxLength=64
   */
  acceptLoss?: string;
  /** Certificate of the servers. Default: each makes its own, which nobody can verify. */
  tls?: TLS;
  /** +kubebuilder:default={} */
  storage?: Storage;
  /** +kubebuilder:default={requests: {cpu: "100m", memory: "512Mi"}, limits: {memory: "1Gi"}} */
  resources?: ResourceRequirements;
  /** +kubebuilder:validation:MaxProperties=16 */
  nodeSelector?: Record<string, string>;
  /** +kubebuilder:validation:MaxItems=16 */
  tolerations?: Toleration[];
  /**
   * How servers are spread over zones. They are kept on different nodes where possible, anyway.
   * +kubebuilder:validation:MaxItems=8
   * +listType=map
   * +listMapKey=topologyKey
   * +listMapKey=whenUnsatisfiable
   */
  topologySpreadConstraints?: TopologySpreadConstraint[];
  /**
   * Options of the server, except those that the operator sets. A change restarts one server at a time.
   * +kubebuilder:validation:MaxProperties=64
   * +kubebuilder:validation:XValidation:rule="self.all(name, name.matches('^[a-z][a-z0-9_]{0,63}$'))",message="names of settings have lowercase letters, digits and _"
   * +kubebuilder:validation:XValidation:rule="!self.exists(name, ['gtid_', 'ssl_', 'init_', 'replica', 'relay_', 'slave_', 'log_replica', 'log_slave', 'report_', 'binlog_do_', 'binlog_ignore_', 'clone_', 'plugin_', 'performance_schema', 'skip_', 'disable_', 'enable_', 'loose_', 'maximum_'].exists(start, name.startsWith(start)) || name in ['server_id', 'datadir', 'socket', 'port', 'log_bin', 'read_only', 'super_read_only', 'secure_file_priv', 'sync_binlog', 'innodb_flush_log_at_trx_commit', 'enforce_gtid_consistency'])",message="the operator sets what replication depends on"
   */
  settings?: Record<string, Setting>;
  /**
   * Schedule of the backups in cron format. Default: no backups.
   * +kubebuilder:validation:MaxLength=128
   */
  // +kubebuilder:validation:Pattern=`^(@(hourly|daily|midnight|weekly|monthly|yearly|annually)|[0-9A-Za-z*/,?-]+( [0-9A-Za-z*/,?-]+){4})$`
  backupSchedule?: string;
  /**
   * Path at which the backup volume is mounted.
   * +kubebuilder:default="/backups"
   * +kubebuilder:validation:MaxLength=256
   * +kubebuilder:validation:Pattern=`^(/[A-Za-z0-9_-]+)+$`
   * +kubebuilder:validation:XValidation:rule="['/var/lib/mysql', '/etc/mysql-operator', '/etc/mysql-tls', '/run/mysqld', '/tmp', '/usr', '/etc'].all(taken, self != taken && !self.startsWith(taken + '/'))",message="this path is taken"
   */
  backupPath?: string;
  /** +kubebuilder:default={} */
  backup?: Backup;
  /** Backup of another MySQL of this namespace to start from, accounts included. */
  restoreFrom?: RestoreFrom;
  /**
   * The servers' volumes are kept, or deleted with this object. Backups are always kept.
   * +kubebuilder:default=Retain
   */
  deletionPolicy?: "Retain" | "Delete";
}

/** SecretKey selects a key of a Secret. */
export interface SecretKey {
  /**
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=253
   */
  name: string;
  /**
   * +kubebuilder:default=password
   * +kubebuilder:validation:MaxLength=253
   */
  key?: string;
}

/** TLS names a Secret with `tls.crt`, `tls.key` and `ca.crt`, as cert-manager makes them. */
export interface TLS {
  /**
   * The certificate must have the name of the Service, such as shop.default.svc.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=253
   */
  secretName: string;
}

/**
 * Setting is the value of an option.
 * +kubebuilder:validation:MaxLength=1024
 * +kubebuilder:validation:Pattern=`^[^\r\n]*$`
 */
export type Setting = string;

/**
 * Storage is the volume of each server.
 * +kubebuilder:validation:XValidation:rule="has(self.className) == has(oldSelf.className) && (!has(self.className) || self.className == oldSelf.className)",message="className is immutable"
 */
export interface Storage {
  /**
   * Size of the volume for data and binary logs. It can only grow.
   * +kubebuilder:default="5Gi"
   * +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",message="storage can't shrink"
   */
  size?: Quantity;
  /** +kubebuilder:validation:MaxLength=253 */
  className?: string;
}

/** Backup says how many backups are kept, and where. */
export interface Backup {
  /**
   * +kubebuilder:default=7
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=365
   */
  keep?: int32;
  /**
   * Size of the volume: each backup is a whole copy of the data, not compressed.
   * +kubebuilder:default="20Gi"
   * +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",message="the volume can't shrink"
   */
  size?: Quantity;
}

/** RestoreFrom selects a backup. */
export interface RestoreFrom {
  /**
   * The MySQL that was backed up.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=40
   */
  name: string;
  /**
   * Folder of the backup. Default: the newest.
   * +kubebuilder:validation:Pattern=`^[0-9A-Za-z-]+$`
   * +kubebuilder:validation:MaxLength=64
   */
  backup?: string;
}

/** MariaStatus is what the operator saw, and what it has to know before it unlocks a server. */
export interface MariaStatus {
  observedGeneration?: int64;
  /** Number of servers that run. */
  replicas?: int32;
  /** Number of servers that serve: the primary, and replicas that follow it. */
  readyReplicas?: int32;
  /** Label selector of the servers' pods. */
  selector?: string;
  /** The server that takes writes. */
  primary?: int32;
  /** The uid of the only pod that is ever unlocked. */
  primaryPod?: string;
  /** Rises before a pod is unlocked, and when another one is recorded. */
  epoch?: int64;
  /** The transactions of the primary when it was seen last: an older volume is recognized by them. */
  gtids?: string;
  /** Transactions of other servers that the primary goes on without. */
  aside?: string;
  /** Completion time of the last successful backup. */
  lastBackupTime?: Time;
  conditions?: Condition[];
}

/**
 * MySQL is a MySQL server with asynchronous replicas and backups.
 * +kubebuilder:storageversion
 * +kubebuilder:subresource:status
 * +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.replicas,selectorpath=.status.selector
 * +kubebuilder:printcolumn:name="Size",type=integer,JSONPath=`.spec.size`
 * +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
 * +kubebuilder:printcolumn:name="Primary",type=integer,JSONPath=`.status.primary`
 * +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`
 * +kubebuilder:printcolumn:name="Last-Backup",type=date,JSONPath=`.status.lastBackupTime`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="metadata.name must have at most 40 characters"
 * +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be a valid Service name: lowercase letters, digits and dashes, starting with a letter"
 */
export interface Maria extends CustomResource<MariaSpec, MariaStatus> {}
export const Maria = defineKind<Maria>(groupVersion, { kind: "Maria", plural: "maria" });
