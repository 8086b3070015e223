// SPDX-License-Identifier: BSD-3-Clause
// Options and commands of a program, which CLI11 reads.

#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace {

template <class Value>
bool is_empty(const Value& /*value*/)
{
    return false;
}

template <class Element>
bool is_empty(const std::vector<Element>& values)
{
    return values.empty();
}

bool is_empty(const std::optional<int>& value) { return !value; }

} // namespace

Option Option::required() { return Option(option_->required()); }

Option Option::hides_default() { return Option(option_->default_str("")); }

Option Option::type_name(const std::string& name) { return Option(option_->type_name(name)); }

Option Option::list() { return Option(option_->delimiter(',')); }

Option Option::between(int least, int most) { return Option(option_->check(CLI::Range(least, most))); }

Option Option::between(double least, double most) { return Option(option_->check(CLI::Range(least, most))); }

Option Option::positive() { return Option(option_->check(CLI::PositiveNumber)); }

Option Option::not_negative() { return Option(option_->check(CLI::NonNegativeNumber)); }

Option Option::one_of(const std::vector<std::string>& words)
{
    return Option(option_->check(CLI::IsMember(words)));
}

Option Option::check(std::string (*mistake)(const std::string& value))
{
    return Option(option_->check(mistake));
}

template <class Value>
Option Command::add_option(const std::string& name, Value& value, const std::string& help)
{
    CLI::Option* const option = app_->add_option(name, value, help);
    return Option(is_empty(value) ? option : option->capture_default_str());
}

template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, long&, const std::string&);
template Option Command::add_option(const std::string&, long long&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<int>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<long>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<double>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);

void Command::add_flag(const std::string& name, bool& is_given, const std::string& help)
{
    app_->add_flag(name, is_given, help);
}

void Command::excludes(const std::string& name, const std::string& other)
{
    app_->get_option(name)->excludes(app_->get_option(other));
}

void Command::needs(const std::string& name, const std::string& other)
{
    app_->get_option(name)->needs(app_->get_option(other));
}

Command Command::add_command(const std::string& name, const std::string& help)
{
    return Command(app_->add_subcommand(name, help));
}

bool Command::has(const std::string& name) const { return app_->count(name) > 0; }

bool Command::is_chosen() const { return app_->parsed(); }

CommandLine::CommandLine(const std::string& help, const std::string& program)
    : Command(nullptr),
      owned_(std::make_unique<CLI::App>(help, program))
{
    app_ = owned_.get();
    app_->set_version_flag("--version", program + ", mpiortho " PACKAGE_VERSION);
}

CommandLine::~CommandLine() = default;

void CommandLine::needs_command() { app_->require_subcommand(1); }

void CommandLine::ends_at_argument() { app_->positionals_at_end(); }

std::optional<CommandLine::Ending> CommandLine::parse(int argc, char** argv)
{
    try {
        app_->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0)
            return Ending{1, app_->get_name() + ": " + error.what() + " (try --help)\n"};
        std::ostringstream text;
        app_->exit(error, text, text);
        return Ending{0, text.str()};
    }
    return std::nullopt;
}

void CommandLine::parse_or_exit(int argc, char** argv)
{
    const std::optional<Ending> ending = parse(argc, argv);
    if (!ending) return;
    std::fputs(ending->text.c_str(), ending->status == 0 ? stdout : stderr);
    std::exit(ending->status);
}
