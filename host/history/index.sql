/* The schema of the index. It has no rowids and no counters, so that the content depends on the nights alone. */
BEGIN;
CREATE TABLE nights(run_id TEXT PRIMARY KEY, started TEXT, name TEXT, commit_id TEXT, fault TEXT,
  verdict TEXT, sentence TEXT, row_count INTEGER, timed INTEGER) WITHOUT ROWID;
CREATE TABLE devices(run_id TEXT, uuid TEXT, device TEXT, driver TEXT, clock_mhz TEXT, host TEXT,
  PRIMARY KEY(run_id, uuid)) WITHOUT ROWID;
CREATE TABLE builds(run_id TEXT, plugin TEXT, version TEXT, sha256 TEXT, PRIMARY KEY(run_id,
  plugin)) WITHOUT ROWID;
CREATE TABLE series(id INTEGER PRIMARY KEY, device TEXT, uuid TEXT, plugin TEXT, bench TEXT, case_key TEXT,
  variant TEXT, mode TEXT) WITHOUT ROWID;
CREATE TABLE points(run_id TEXT, series INTEGER, status TEXT, median_ps INTEGER, below_ppm INTEGER,
  above_ppm INTEGER, sd_ppm INTEGER, restarts INTEGER, bound TEXT, flags INTEGER, PRIMARY KEY(run_id,
  series)) WITHOUT ROWID;
CREATE TABLE decisions(run_id TEXT, series INTEGER, verdict TEXT, step REAL, again_ps INTEGER,
  PRIMARY KEY(run_id, series)) WITHOUT ROWID;
CREATE VIEW times AS SELECT nights.started, nights.run_id, nights.commit_id, device, uuid, plugin, bench,
  case_key, variant, mode, status, median_ps / 1e3 AS median_ns,
  median_ps / 1e3 * (1 - below_ppm / 1e6) AS lo_ns, median_ps / 1e3 * (1 + above_ppm / 1e6) AS hi_ns, restarts
  FROM points JOIN nights USING(run_id) JOIN series ON series.id = points.series;
PRAGMA user_version=2;
PRAGMA application_id=1734494313;
COMMIT
