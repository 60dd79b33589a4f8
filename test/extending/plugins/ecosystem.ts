import type { LanguageFiles } from '../../repository/languages';
import { aptInstall } from '../apt';
import { type Ecosystem, shell, step } from '../goal';

export const rubyFiles: LanguageFiles = {
  sources: /\.rb$/,
  strong: /^(Gemfile|.*\.gemspec)$/,
  script: true,
  manifests: ({ paths }) => ({ testFrameworks: paths.some((path) => /_spec\.rb$/.test(path)) ? ['rspec'] : [] }),
};

export const ruby: Ecosystem = {
  name: 'ruby',
  plan: ({ facts }) => [
    step('toolchain', 'Ruby and its bundler.', aptInstall(['ruby', 'bundler'])),
    step('dependencies', 'What the Gemfile asks for.', 'bundle install'),
    step('tests', 'Its tests.', facts.testFrameworks.includes('rspec') ? 'bundle exec rspec' : 'bundle exec rake test'),
  ],
  readers: [{ cause: 'ruby-headers', pattern: /mkmf\.rb can't find header files/g }],
  remedies: [
    {
      name: 'install the headers of Ruby',
      cause: 'ruby-headers',
      sure: true,
      fix: () => ({ act: shell(aptInstall(['ruby-dev'])) }),
    },
  ],
};
