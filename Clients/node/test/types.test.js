// TypeScript takes what it should. Without a `tsc` (or one that TSC names), nothing is checked.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const tsc = process.env.TSC ?? 'tsc';
const hasOne = spawnSync(tsc, ['--version']).status === 0;

test('what is right passes, and what is wrong does not', { skip: hasOne ? false : 'there is no tsc' }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['index.d.ts', 'testing.d.ts']) cpSync(here(`../${name}`), join(folder, name));
  const [, page] = /^```ts\n(.*?)^```$/ms.exec(readFileSync(here('../README.md'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'page.ts'), page.replace("'baton-client'", "'./index.js'"));
  writeFileSync(join(folder, 'types.ts'), readFileSync(here('types.ts'), 'utf8').replaceAll("'../", "'./"));
  const settings = '--noEmit --strict --target es2022 --lib es2022,dom --module nodenext --moduleResolution nodenext';
  try {
    execFileSync(tsc, [...settings.split(' '), 'page.ts', 'types.ts'], { cwd: folder });
  } catch (error) {
    assert.fail(`${error.stdout}`);
  }
});
