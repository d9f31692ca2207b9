// What `npm pack` puts into the archive, and that it works from there.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const home = fileURLToPath(new URL('..', import.meta.url));
const { name, version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
const hasNpm = spawnSync('npm', ['--version']).status === 0;

test('the archive has the library, its types and its licence, and no network is asked', { skip: !hasNpm }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const npm = ['pack', '--offline', '--silent', '--cache', join(folder, 'cache'), '--pack-destination', folder, home];
  execFileSync('npm', npm);
  execFileSync('tar', ['-xf', join(folder, `${name}-${version}.tgz`), '-C', folder]);
  const inner = join(folder, 'package');
  const expected = [
    'LICENSE', 'README.md', 'examples', 'index.d.ts', 'index.js', 'lib', 'package.json', 'testing.d.ts', 'testing.js',
  ];
  assert.deepEqual(readdirSync(inner).sort(), expected);
  assert.deepEqual(readdirSync(join(inner, 'lib')).sort(), readdirSync(join(home, 'lib')).sort());
  const told = JSON.parse(readFileSync(join(inner, 'package.json'), 'utf8'));
  assert.deepEqual([told.version, told.license], [version, 'Apache-2.0']);

  mkdirSync(join(folder, 'node_modules'));
  renameSync(inner, join(folder, 'node_modules', name));
  const program = `import { handled } from '${name}'; import { offer } from '${name}/testing';
    console.log((await offer(() => handled(5), 'a')).payload);`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
  assert.equal(`${printed}`, '5\n');
});

test('the licence is the one of the project', (t) => {
  let text;
  try {
    text = readFileSync(join(home, '../../LICENSE'), 'utf8');
  } catch {
    return t.skip('this is no clone');
  }
  assert.equal(readFileSync(join(home, 'LICENSE'), 'utf8'), text);
});
