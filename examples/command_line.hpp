// SPDX-License-Identifier: BSD-3-Clause
// Options and commands of a program, which CLI11 reads.  Programs include this header in place of CLI11's, which
// takes seconds to compile.  No MPI in this file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

/// An option of a command, or an argument without a name.  Its functions give it back, so that they can be
/// written in a row.
class Option {
public:
    explicit Option(CLI::Option* option) : option_(option) {}

    /// The command line must have it.
    Option required();
    /// --help does not show its default.
    Option hides_default();
    /// --help calls its value so.
    Option type_name(const std::string& name);
    /// Values of a vector stand in one argument, with commas, too.
    Option list();

    /// No other values are taken.
    Option between(int least, int most);
    Option between(double least, double most);
    Option positive();
    Option not_negative();
    Option one_of(const std::vector<std::string>& words);
    /// `mistake` tells what is wrong with a value: an empty text if nothing is.
    Option check(std::string (*mistake)(const std::string& value));

private:
    CLI::Option* option_;
};

/// A command with its options: the whole program, or what an argument selects.  It is handed on by value, and
/// lives as long as its CommandLine.
class Command {
public:
    /// The option `name` sets `value`, which has the default.  A name without dashes is that of an argument.
    /// Value is int, long, long long, double, std::string, std::optional<int>, or a vector of int, long, double
    /// or std::string.
    template <class Value>
    Option add_option(const std::string& name, Value& value, const std::string& help);
    /// The option `name` has no value, and makes `is_given` true.
    void add_flag(const std::string& name, bool& is_given, const std::string& help);
    /// The option `name` does not come together with the option `other`.
    void excludes(const std::string& name, const std::string& other);
    /// The option `name` comes with the option `other` only.
    void needs(const std::string& name, const std::string& other);

    /// A command of this one.
    Command add_command(const std::string& name, const std::string& help);

    /// After CommandLine::parse(): whether the command line has this option, and whether it has this command.
    bool has(const std::string& name) const;
    bool is_chosen() const;

protected:
    explicit Command(CLI::App* app) : app_(app) {}

    CLI::App* app_;
};

/// A program's command line.  It has the options --help and --version by itself.
class CommandLine : public Command {
public:
    CommandLine(const std::string& help, const std::string& program);
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    ~CommandLine();

    /// It must have one of the commands.
    void needs_command();
    /// From the first argument without a name on, all belongs to that one.
    void ends_at_argument();

    /// A program does not go on after --help or a mistake: it says `text`, and ends with `status`.
    struct Ending {
        int status;
        std::string text;
    };
    std::optional<Ending> parse(int argc, char** argv);
    /// If the program does not go on it says why, and ends.  For programs without MPI.
    void parse_or_exit(int argc, char** argv);

private:
    std::unique_ptr<CLI::App> owned_;
};
